import { type ClientContext, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';
import type { Surroundings } from '../driver/program.ts';
import { MCP_NAME, mcpCommand, mcpEnv } from '../mcp/registration.ts';
import { recordOf } from './facts.ts';
import { Initialized, OpenedSession } from './wire.ts';

const SIGN_IN_REQUIRED = -32000;
/** Ways to sign in that need no person: the program has its key in the environment. */
const BY_KEY = /key|openai|anthropic|gateway|^cursor_login$/i;
/** One that waits for a browser has none here. */
const SIGN_IN_MS = 30_000;

export type AcpSession = {
  readonly id: string;
  /** A new session knows nothing of what was said before. */
  readonly isNew: boolean;
  readonly initialized: Initialized;
  readonly opened: OpenedSession;
};

/** Says who speaks, signs in if that is asked for, and opens the session of last time or a new one. */
export async function openSession(
  agent: ClientContext,
  around: Surroundings,
  loads: boolean,
): Promise<AcpSession> {
  const { kept, cwd, voice, context } = around;
  const mcpServers = [mcpServer(context.env)];
  const initialized = Initialized.parse(
    await agent.request('initialize', {
      protocolVersion: PROTOCOL_VERSION,
      // No files, no terminals: the program works in the sandbox by itself.
      clientCapabilities: { session: { compaction: {} }, _meta: { terminal_output: true } },
      clientInfo: { name: 'filepath', version: '1' },
    }),
  );
  if (initialized.protocolVersion !== PROTOCOL_VERSION) {
    throw new Error(
      `it speaks version ${initialized.protocolVersion} of the Agent Client Protocol, not ${PROTOCOL_VERSION}`,
    );
  }
  const again = kept.session;
  if (again !== undefined) {
    const opened = await reopen(agent, initialized, { again, cwd, loads, mcpServers }).catch(
      (error: unknown) => {
        voice.log('warn', `its session ${again} could not be opened again: ${wordsOf(error)}`);
        return null;
      },
    );
    if (opened) return { id: again, isNew: false, initialized, opened };
  }
  const opened = await openNew(agent, initialized, { cwd, mcpServers });
  const id = opened.sessionId;
  if (id === undefined) throw new Error('it opened a session without a name');
  kept.session = id;
  return { id, isNew: true, initialized, opened };
}

type McpServer = {
  name: string;
  command: string;
  args: string[];
  env: { name: string; value: string }[];
};

function mcpServer(env: NodeJS.ProcessEnv): McpServer {
  return { name: MCP_NAME, ...mcpCommand(), env: mcpEnv(env) };
}

type Again = { again: string; cwd: string; loads: boolean; mcpServers: McpServer[] };

/** Null: the program cannot. */
async function reopen(
  agent: ClientContext,
  { agentCapabilities }: Initialized,
  { again, cwd, loads, mcpServers }: Again,
): Promise<OpenedSession | null> {
  const session = { sessionId: again, cwd, mcpServers };
  const resumes = recordOf(agentCapabilities?.sessionCapabilities)['resume'];
  // Resuming sends nothing of what was said before; loading sends all of it again.
  if (!loads && resumes !== undefined && resumes !== null) {
    return OpenedSession.parse((await agent.request('session/resume', session)) ?? {});
  }
  if (agentCapabilities?.loadSession !== true) return null;
  return OpenedSession.parse((await agent.request('session/load', session)) ?? {});
}

async function openNew(
  agent: ClientContext,
  { authMethods }: Initialized,
  session: { cwd: string; mcpServers: McpServer[] },
): Promise<OpenedSession> {
  const open = async (): Promise<OpenedSession> =>
    OpenedSession.parse(await agent.request('session/new', session));
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof RequestError) || error.code !== SIGN_IN_REQUIRED) throw error;
    const methods = (authMethods ?? []).map(({ id }) => id);
    const method = methods.find((id) => BY_KEY.test(id));
    if (method === undefined) throw notSignedIn(error.message, methods);
    try {
      const options = {
        cancellationSignal: AbortSignal.timeout(SIGN_IN_MS),
        stopWaitingOnCancel: true,
      };
      await agent.request('authenticate', { methodId: method }, options);
      return await open();
    } catch (again) {
      throw notSignedIn(wordsOf(again), methods);
    }
  }
}

function notSignedIn(words: string, methods: readonly string[]): Error {
  const ways = methods.length === 0 ? '' : ` Its ways to sign in: ${methods.join(', ')}.`;
  return new Error(
    `it is not signed in: ${words}.${ways} Put its key into the agent's environment variables, or sign in once in the agent's home.`,
  );
}

export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
