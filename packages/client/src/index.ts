export { type Client, createClient } from './client.ts';
export { type ClientOptions } from './connection.ts';
export { createCore } from './core.ts';
export { createLiteclaw } from './liteclaw.ts';
export { createMemories } from './memories.ts';
export { createSettings } from './settings.ts';
export { type EventsPage, type Health } from './answers.ts';
export {
  type FeedItem,
  type FeedState,
  type FollowOptions,
  type Following,
  type ThreadFollowOptions,
} from './follow.ts';
export { type OpenSocket, type WebSocketLike } from './socket.ts';
