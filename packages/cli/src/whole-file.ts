import { open, rename, rm } from 'node:fs/promises';

/** Writes a file that appears whole or not at all. */
export async function writeWhole(
  file: string,
  write: (sink: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const temporary = `${file}.${process.pid}.part`;
  const handle = await open(temporary, 'wx', 0o600);
  try {
    await write((text) => handle.write(text));
    await handle.sync();
    await handle.close();
    await rename(temporary, file);
  } catch (error) {
    await handle.close().catch(() => {});
    await rm(temporary, { force: true });
    throw error;
  }
}
