import { type HookState, showHook } from '../packages/worker/test/chat-hook.mjs';

export type HookWindow = {
  hook: HookState;
  showHook: (chat: string) => void;
};

Object.assign(globalThis, {
  showHook: (chat: string) => showHook(chat, (state) => Object.assign(globalThis, { hook: state })),
});
