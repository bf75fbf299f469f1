import { homedir } from 'node:os';
import {
  modelFor,
  type ModelSettings,
  runLoop,
  summarise,
  RETRIES,
  userMessage,
} from '@filepath/loop';
import type { LoopOptions, LoopOutcome } from '@filepath/loop';
import type { AgentEvent } from '@filepath/protocol';
import type { Driver, DriverContext } from '../driver/driver.ts';
import { contextWindowOf } from './context-window.ts';
import { formatOf } from './format.ts';
import { Inbox } from './inbox.ts';
import type { Kit } from './kit.ts';
import { asking } from './permissions.ts';
import { type ProfileName, systemPromptOf, toolsOf } from './profile.ts';
import { SessionFile } from './session-file.ts';
import { fapOf } from './to-fap.ts';

/** filepath's own agents: the loop with the prompt and the tools of a profile. */
export const native: Driver = async (context) => {
  const { entry, env, emit, inputs } = context;
  if (entry.driver.kind !== 'native') throw new Error(`${entry.name} is no native agent`);
  const settings = settingsOf(env);
  const inbox = new Inbox();
  const filling = inbox.fill(inputs);
  const kit: Kit = {
    place: { workspace: process.cwd(), home: env['HOME'] ?? homedir() },
    env,
    emit,
    agentType: entry.type,
    model: settings.model,
    gateway: settings,
  };
  const session = new SessionFile(kit.place);
  const loop = await loopOf(entry.driver.profile, kit, inbox, context);
  const signal = AbortSignal.any([context.signal, inbox.stopped]);
  const idleMs = Number(env['FILEPATH_IDLE_SECONDS'] ?? 60) * 1_000;

  while (!signal.aborted && (await inbox.work(idleMs))) {
    if (signal.aborted) break;
    emit({ type: 'status', state: 'thinking' });
    const tell = fapOf(settings.model, emit);
    const options: LoopOptions = {
      ...loop,
      model: modelFor(settings),
      messages: session.messages,
      signal,
      steer: () => inbox.takeMessages().map(userMessage),
      handoffAsked: () => inbox.takeHandoff(),
      emit(event) {
        if (event.type === 'message') session.add(event.message);
        tell(event);
      },
    };
    const outcome = await runLoop(options);
    if (outcome.outcome === 'handoff') session.handOff(outcome.summary);
    emit(endOf(outcome));
  }
  void filling.catch(() => undefined);
  return 0;
};

function settingsOf(env: NodeJS.ProcessEnv): ModelSettings {
  const model = env['FILEPATH_MODEL'];
  const baseUrl = env['FILEPATH_BASE_URL'];
  const apiKey = env['FILEPATH_API_KEY'];
  if (!model) throw new Error('No model is chosen for this agent. Choose one in its settings.');
  if (!baseUrl || !apiKey)
    throw new Error('The gateway is not named: FILEPATH_BASE_URL and FILEPATH_API_KEY.');
  return { model, baseUrl, apiKey, format: formatOf(model) };
}

async function loopOf(
  profile: ProfileName,
  kit: Kit,
  inbox: Inbox,
  { env, emit }: DriverContext,
): Promise<Pick<LoopOptions, 'system' | 'tools' | 'contextWindow' | 'maxOutputTokens'>> {
  const tools = toolsOf(profile, kit);
  const maxTokens = Number(env['FILEPATH_MAX_TOKENS'] ?? Number.NaN);
  return {
    system: await systemPromptOf(profile, kit, env['FILEPATH_SYSTEM_PROMPT']),
    tools: env['FILEPATH_PERMISSIONS'] === 'ask' ? asking(tools, inbox, emit) : tools,
    contextWindow: contextWindowOf(kit.model, env['FILEPATH_CONTEXT_WINDOW']),
    ...(maxTokens > 0 ? { maxOutputTokens: maxTokens } : {}),
  };
}

const SUMMARY = 1_000;

function endOf(outcome: LoopOutcome): AgentEvent {
  switch (outcome.outcome) {
    case 'done':
      return {
        type: 'done',
        ...(outcome.text === '' ? {} : { summary: outcome.text.slice(0, SUMMARY) }),
      };
    case 'handoff':
      return { type: 'handoff', summary: outcome.summary };
    case 'interrupted':
      return { type: 'status', state: 'idle', reason: 'stopped' };
    case 'failed':
      return { type: 'status', state: 'error', reason: outcome.reason };
  }
}
