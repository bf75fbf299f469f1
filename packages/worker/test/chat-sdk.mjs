// The types of the Agents SDK bring those of workerd with them, which differ from Node's: the file beside this one has
// the few that the tests need.
export { AgentClient } from 'agents/client';
export { WebSocketChatTransport } from 'agents/chat/transport';
