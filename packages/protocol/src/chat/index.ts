export {
  BLOB_BUCKET,
  CHAT_FILE_LIMITS,
  ChatFile,
  chatFileOf,
  ChatFilePart,
  chatFilePrefix,
  chatFileRef,
} from './files.ts';
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
