import type { MachineCheck } from '@filepath/protocol';

type Place = {
  readonly home: string;
  readonly host: string;
  readonly port: number;
  readonly env: Readonly<Record<string, string | undefined>>;
};

const LONGEST = 2048;

/** What `filepath doctor` says of the machine that an instance runs on. Those who ask meanwhile get the same answer. */
export function machineChecks({ home, host, port, env }: Place): () => Promise<MachineCheck[]> {
  let going: Promise<MachineCheck[]> | null = null;
  const look = async (): Promise<MachineCheck[]> => {
    const [{ examine }, { thisMachine }] = await Promise.all([
      import('./commands/doctor.ts'),
      import('./doctor/this-machine.ts'),
    ]);
    const place = { FILEPATH_HOME: home, FILEPATH_HOST: host, FILEPATH_PORT: String(port) };
    return (await examine(thisMachine, { ...env, ...place })).map(bounded);
  };
  return () => (going ??= look().finally(() => (going = null)));
}

function bounded({ name, state, text, works, fix }: MachineCheck): MachineCheck {
  const cut = (words: string): string => words.slice(0, LONGEST);
  return {
    name,
    state,
    text: cut(text),
    ...(works === undefined ? {} : { works: cut(works) }),
    ...(fix === undefined ? {} : { fix: cut(fix) }),
  };
}
