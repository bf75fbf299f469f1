/** What the operator sets for every LiteClaw of the instance. Nobody else can. */
export type LiteclawEnv = {
  readonly LITECLAW_MODEL?: string;
  readonly LITECLAW_MODEL_CONFIG_ID?: string;
  readonly LITECLAW_MAX_OUTPUT_TOKENS?: string;
  readonly LITECLAW_MAX_CONTEXT_TOKENS?: string;
  readonly LITECLAW_SYSTEM_PROMPT?: string;
  /** Turns that are sent whole; older ones are in the summary. */
  readonly LITECLAW_TURNS?: string;
  readonly LITECLAW_MESSAGES_PER_MINUTE?: string;
  readonly LITECLAW_FIRST_BYTE_MS?: string;
  /** Comma-separated. */
  readonly LITECLAW_ALLOWED_EMAILS?: string;
  readonly LITECLAW_ADMIN_SECRET?: string;
};

export type LiteclawSettings = {
  /** Null: the first model that the instance can reach. */
  readonly model: string | null;
  readonly modelConfigId: string;
  readonly maxOutputTokens: number;
  readonly maxContextTokens: number;
  readonly systemPrompt: string;
  readonly turns: number;
  readonly messagesPerMinute: number;
  readonly firstByteMs: number;
};

const PROMPT = `You are LiteClaw, the personal assistant of one person, who comes back to this one conversation day after day.
Answer directly and briefly. Use what you know of the person from the memory below. Say when you do not know
something.`;

/** What is no number, or out of its bounds, leaves the usual value in force; the CLI refuses it at the start. */
export function liteclawSettings(env: LiteclawEnv): LiteclawSettings {
  const model = env.LITECLAW_MODEL?.trim() || null;
  const maxOutputTokens = within(env.LITECLAW_MAX_OUTPUT_TOKENS, 1024, 16, 65_536);
  return {
    model,
    modelConfigId: env.LITECLAW_MODEL_CONFIG_ID?.trim().slice(0, 100) || (model ?? 'default'),
    maxOutputTokens,
    maxContextTokens: Math.max(
      maxOutputTokens * 2,
      within(env.LITECLAW_MAX_CONTEXT_TOKENS, 16_384, 1024, 1_000_000),
    ),
    systemPrompt: env.LITECLAW_SYSTEM_PROMPT?.trim() || PROMPT,
    turns: within(env.LITECLAW_TURNS, 25, 1, 200),
    messagesPerMinute: within(env.LITECLAW_MESSAGES_PER_MINUTE, 20, 1, 10_000),
    firstByteMs: within(env.LITECLAW_FIRST_BYTE_MS, 10_000, 50, 60_000),
  };
}

function within(text: string | undefined, usual: number, least: number, most: number): number {
  if (text === undefined || !/^[1-9]\d{0,6}$/.test(text.trim())) return usual;
  const value = Number(text);
  return value >= least && value <= most ? value : usual;
}

/** Null: everybody is let in who is signed in. */
export function allowedEmails(env: LiteclawEnv): ReadonlySet<string> | null {
  const list = env.LITECLAW_ALLOWED_EMAILS?.trim() ?? '';
  const gated = list !== '' || (env.LITECLAW_ADMIN_SECRET ?? '') !== '';
  if (!gated) return null;
  return new Set(
    list
      .split(',')
      .map((email) => email.trim().toLowerCase())
      .filter((email) => email !== ''),
  );
}
