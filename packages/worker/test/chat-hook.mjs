// As in chat-sdk.mjs: without the types of the Agents SDK.
import { useAgentChat } from '@cloudflare/ai-chat/react';
import { useAgent } from 'agents/react';
import { createElement, Suspense } from 'react';
import { createRoot } from 'react-dom/client';

function Chat({ chat, told }) {
  const agent = useAgent({ agent: 'chat', name: chat });
  const { messages, status, sendMessage, stop, clearHistory } = useAgentChat({ agent });
  told({ agent, messages, status, sendMessage, stop, clearHistory });
  return null;
}

/** A page whose whole content is the SDK's hook, as its documentation has it. */
export function showHook(chat, told) {
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  root.render(createElement(Suspense, { fallback: null }, createElement(Chat, { chat, told })));
}
