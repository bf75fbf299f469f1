import type { Line } from '@filepath/protocol';
import { readSkyExport, SkyExportFault, type SkyExportSummary } from '@filepath/protocol/sky';

export type VerifiedSky = { ok: true; summary: SkyExportSummary } | { ok: false; fault: string };

/** Whether a file that begins so is an export of a chat. What is wrong with it comes later. */
export function beginsSkyExport(first: Line): boolean {
  return first.text?.startsWith('{"n":') ?? false;
}

/** Reads an export of a chat as it comes, in bounded memory, and names the first line that is wrong. */
export async function verifySkyExport(
  lines: AsyncIterable<Line>,
  expectedKey: Buffer | null,
): Promise<VerifiedSky> {
  try {
    const reading = readSkyExport(lines);
    for (;;) {
      const { done, value } = await reading.next();
      if (!done) continue;
      if (expectedKey !== null && !expectedKey.equals(Buffer.from(value.key, 'base64'))) {
        return { ok: false, fault: `the key is another one: it is signed by ${value.key}` };
      }
      return { ok: true, summary: value };
    }
  } catch (error) {
    if (error instanceof SkyExportFault) return { ok: false, fault: error.message };
    throw error;
  }
}
