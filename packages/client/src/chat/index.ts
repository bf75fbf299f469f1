export { type ChatHandlers, type ChatSource, type ChatView, LiveChat } from './live-chat.ts';
