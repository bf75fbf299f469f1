import { homedir } from 'node:os';
import { type AgentEvent, formatFor } from '@filepath/protocol';
import {
  type LoopOptions,
  type LoopOutcome,
  modelFor,
  type ModelSettings,
  Resumes,
  runLoop,
  userMessage,
} from '@filepath/loop';
import { Decisions } from '../driver/decisions.ts';
import type { Driver } from '../driver/driver.ts';
import { isFresh } from '../driver/fresh.ts';
import { Journal, short } from '../driver/journal.ts';
import { Voice } from '../driver/voice.ts';
import { contextWindowOf } from './context-window.ts';
import { Inbox } from './inbox.ts';
import type { Kit } from './kit.ts';
import { asking } from './permissions.ts';
import { type ProfileName, systemPromptOf, toolsOf } from './profile.ts';
import { SessionFile } from './session-file.ts';
import { tell } from './to-fap.ts';

/** filepath's own agents: the loop with the prompt and the tools of a profile. */
export const native: Driver = async ({ entry, env, inputs, emit, signal: ending }) => {
  if (entry.driver.kind !== 'native') throw new Error(`${entry.name} is no native agent`);
  const voice = new Voice(emit, new Journal());
  const decisions = new Decisions(voice);
  const resumes = new Resumes();
  const inbox = new Inbox((id, choice) => decisions.answer(id, choice), resumes);
  void inbox.fill(inputs).catch(() => undefined);

  const settings = settingsOf(env);
  const { model } = settings;
  const kit: Kit = {
    place: { workspace: process.cwd(), home: env['HOME'] ?? homedir() },
    env,
    emit: (event) => voice.say(event),
    agentType: entry.type,
    model,
    called: () => inbox.called,
    gateway: settings,
  };
  const session = new SessionFile(kit.place, { fresh: isFresh(env) });
  const loop = await loopOf(entry.driver.profile, kit, decisions);
  const signal = AbortSignal.any([ending, inbox.stopped]);
  signal.addEventListener('abort', () => decisions.cancelAll(), { once: true });
  const idleMs = Number(env['FILEPATH_IDLE_SECONDS'] ?? 60) * 1_000;

  while ((await inbox.work(idleMs)) && !signal.aborted) {
    voice.status('thinking');
    const outcome = await runLoop({
      ...loop,
      model: modelFor(settings),
      messages: session.messages,
      signal,
      resumes,
      steer: (when) => inbox.take({ notesAlone: when === 'step' }).map(userMessage),
      handoffAsked: () => inbox.takeHandoff(),
      emit(event) {
        if (event.type === 'message') session.add(event.message);
        tell(event, voice, model);
      },
    });
    voice.say(endOf(outcome));
    voice.forgetStatus();
    // Another process goes on.
    if (outcome.outcome === 'handoff') break;
  }
  return 0;
};

function settingsOf(env: NodeJS.ProcessEnv): ModelSettings {
  // Without a name the gateway chooses, or says what to choose.
  const model = env['FILEPATH_MODEL'] ?? '';
  const baseUrl = env['FILEPATH_BASE_URL'];
  const apiKey = env['FILEPATH_API_KEY'];
  if (!baseUrl || !apiKey) throw new Error('FILEPATH_BASE_URL and FILEPATH_API_KEY are not set.');
  return { model, baseUrl, apiKey, format: formatFor(model) };
}

async function loopOf(
  profile: ProfileName,
  kit: Kit,
  decisions: Decisions,
): Promise<Pick<LoopOptions, 'system' | 'tools' | 'contextWindow' | 'maxOutputTokens'>> {
  const { env, model } = kit;
  const tools = toolsOf(profile, kit);
  const maxTokens = Number(env['FILEPATH_MAX_TOKENS'] ?? Number.NaN);
  return {
    system: await systemPromptOf(profile, kit, env['FILEPATH_SYSTEM_PROMPT']),
    tools: env['FILEPATH_PERMISSIONS'] === 'ask' ? asking(tools, decisions) : tools,
    contextWindow: contextWindowOf(model, env['FILEPATH_CONTEXT_WINDOW']),
    ...(maxTokens > 0 ? { maxOutputTokens: maxTokens } : {}),
  };
}

const MAX_SUMMARY = 400;

function endOf(outcome: LoopOutcome): AgentEvent {
  switch (outcome.outcome) {
    case 'done':
      return { type: 'done', ...(outcome.text && { summary: short(outcome.text, MAX_SUMMARY) }) };
    case 'handoff':
      return { type: 'handoff', summary: outcome.summary };
    case 'interrupted':
      return { type: 'status', state: 'idle', reason: 'stopped' };
    case 'failed': {
      const { reason, retryAt } = outcome;
      const until = retryAt === undefined ? {} : { until: new Date(retryAt).toISOString() };
      return { type: 'status', state: 'error', reason, ...until };
    }
  }
}
