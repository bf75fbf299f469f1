import { converse } from '../driver/converse.ts';
import type { Driver } from '../driver/driver.ts';
import { programOf } from '../driver/install.ts';
import { programEnv } from '../driver/program-env.ts';
import type { Surroundings } from '../driver/program.ts';
import { dialectOf } from './dialects.ts';
import { AcpProgram } from './program.ts';

/** Any program that speaks the Agent Client Protocol on its stdio. */
export const acp: Driver = (context) => converse(context, connect);

async function connect(around: Surroundings): Promise<AcpProgram> {
  const { entry, env } = around.context;
  if (entry.driver.kind !== 'acp') throw new Error(`${entry.name} is no agent of this driver`);
  const found = await programOf(entry, entry.driver.command, around);
  const dialect = dialectOf(entry.driver.command[0] ?? '');
  const program = new AcpProgram(
    {
      command: [...found, ...dialect.args(around)],
      env: { ...programEnv(env), ...dialect.env(around) },
      dialect,
    },
    around,
  );
  await program.open();
  return program;
}
