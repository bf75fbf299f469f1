import type { ClientContext } from '@agentclientprotocol/sdk';
import type { Surroundings } from '../driver/program.ts';
import { type AcpSession, wordsOf } from './session.ts';
import type { ConfigOption } from './wire.ts';

/** Modes in which a program asks for nothing, and for whatever changes something, as the known programs name them. */
const MODES = {
  allow: ['bypassPermissions', 'agent-full-access', 'yolo'],
  ask: ['default', 'read-only'],
};

/** Sets mode and model as far as the program offers them. */
export async function applySettings(
  agent: ClientContext,
  session: AcpSession,
  around: Surroundings,
): Promise<void> {
  // What it asks for all the same is answered.
  await setMode(agent, session, around).catch(told(around, 'mode', 'debug'));
  await setModel(agent, session, around).catch(told(around, 'model', 'warn'));
}

async function setMode(
  agent: ClientContext,
  { id, opened }: AcpSession,
  { permissions }: Surroundings,
): Promise<void> {
  const modes = (opened.modes?.availableModes ?? []).map((mode) => mode.id);
  const modeId = MODES[permissions].find((mode) => modes.includes(mode));
  if (modeId === undefined || opened.modes?.currentModeId === modeId) return;
  await agent.request('session/set_mode', { sessionId: id, modeId });
}

async function setModel(
  agent: ClientContext,
  { id, opened }: AcpSession,
  { context, voice }: Surroundings,
): Promise<void> {
  const model = context.env['FILEPATH_MODEL'] ?? '';
  const option = opened.configOptions?.find(({ category, id: key }) =>
    [category, key].includes('model'),
  );
  if (model === '' || !option || String(option.currentValue).includes(model)) return;
  const value = valueFor(option, model);
  if (value === undefined) {
    voice.log(
      'warn',
      `it does not offer the model ${model}; it uses ${String(option.currentValue)}`,
    );
  } else {
    const configId = option.id;
    await agent.request('session/set_config_option', { sessionId: id, configId, value });
  }
}

/** Providers have their own prefixes: `filepath/claude-sonnet-4` is `claude-sonnet-4`. */
function valueFor(option: ConfigOption, model: string): string | undefined {
  const values = (option.options ?? []).flatMap((each) => [
    ...(each.value ? [each.value] : []),
    ...(each.options ?? []).map(({ value }) => value),
  ]);
  const bare = model.slice(model.indexOf('/') + 1);
  return (
    values.find((value) => value === model) ??
    values.find((value) => value.endsWith(`/${model}`)) ??
    values.find((value) => value === bare)
  );
}

function told(
  { voice }: Surroundings,
  what: string,
  level: 'debug' | 'warn',
): (error: unknown) => void {
  return (error) => voice.log(level, `its ${what} could not be set: ${wordsOf(error)}`);
}
