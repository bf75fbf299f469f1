import { startContainerEngine } from '@filepath/testkit';

/** What the agents of these tests use. */
const PROGRAMS =
  'sh git-upload-pack cat ls sleep env id tail tr sed grep seq true git perl touch mkdir ln readlink head printf wc base64 find awk cut rm mv cp chmod mkfifo';

/** An engine for these tests alone. Workers of vitest and runners in processes of their own inherit where it is. */
export default async function setup(): Promise<() => Promise<void>> {
  const engine = await startContainerEngine(PROGRAMS.split(' '));
  process.env['FILEPATH_CONTAINER_SOCKET'] = engine.socket;
  process.env['FILEPATH_TEST_ROOT'] = engine.root;
  return () => engine.stop();
}

/** Whether these tests are run with an engine of their own. */
export const hasTestEngine = (): boolean => process.env['FILEPATH_TEST_ROOT'] !== undefined;
