export { type Client, type ClientOptions, createClient } from './client.ts';
export { type EventsPage, type Health } from './answers.ts';
export {
  type FeedItem,
  type FeedState,
  type FollowOptions,
  type Following,
  type ThreadFollowOptions,
} from './follow.ts';
export { type OpenSocket, type WebSocketLike } from './socket.ts';
