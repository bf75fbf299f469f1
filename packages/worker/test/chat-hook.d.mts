type Part = { readonly type: string; readonly text?: string };

/** What `useAgentChat` gives at a moment, as far as the tests need it. */
export type HookState = {
  readonly agent: { readonly readyState: number };
  readonly messages: readonly { readonly role: string; readonly parts: readonly Part[] }[];
  readonly status: string;
  sendMessage(message: { text: string }): Promise<void>;
  stop(): Promise<void>;
  clearHistory(): void;
};

export function showHook(chat: string, told: (state: HookState) => void): void;
