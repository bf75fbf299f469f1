export { type ChatResponse, ChatServerFrame, readChatFrame } from './frames.ts';
export {
  CHAT_READ_LIMITS,
  ChatChunk,
  ChatMessage,
  ChatMessages,
  ChatNotice,
  ChatPart,
  ChatReceipt,
} from './messages.ts';
