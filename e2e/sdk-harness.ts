import { AgentClient, WebSocketChatTransport } from '../packages/worker/test/chat-sdk.mjs';

type Frame = { readonly type: string; readonly id?: string };
type Message = { readonly id: string; readonly role: string; readonly parts: readonly object[] };
export type SdkRead = { text: string; error: string | null };

/** The Agents SDK's own client and transport in a page, with the little that its hook adds: which frames go where. */
class SdkPage {
  readonly #agent: AgentClient;
  readonly #transport: WebSocketChatTransport;
  readonly #chat: string;
  #reading: Promise<SdkRead> = Promise.resolve({ text: '', error: null });
  #so: SdkRead = { text: '', error: null };
  #opens = 0;

  constructor(chat: string) {
    this.#chat = chat;
    this.#agent = new AgentClient({
      agent: 'chat',
      name: chat,
      host: location.host,
      protocol: 'ws',
      WebSocket,
      minReconnectionDelay: 20,
      maxReconnectionDelay: 200,
    });
    this.#transport = new WebSocketChatTransport({ agent: this.#agent });
    this.#agent.addEventListener('open', () => (this.#opens += 1));
    this.#agent.addEventListener('message', ({ data }) => this.#take(String(data)));
  }

  /** Begins to send; `read` has what came. */
  async send(text: string): Promise<void> {
    await this.#agent.ready;
    const stored = await this.stored();
    const message: Message = {
      id: crypto.randomUUID(),
      role: 'user',
      parts: [{ type: 'text', text }],
    };
    const stream = await this.#transport.sendMessages({
      chatId: 'chat',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [...stored, message],
      abortSignal: undefined,
    });
    this.#follow(stream);
  }

  /** Whether there was something to follow again. */
  async resume(): Promise<boolean> {
    await this.#agent.ready;
    const stream = await this.#transport.reconnectToStream({ chatId: 'chat' });
    if (stream) this.#follow(stream);
    return stream !== null;
  }

  read(): Promise<SdkRead> {
    return this.#reading;
  }

  /** What has come until now. */
  soFar(): string {
    return this.#so.text;
  }

  /** How often the connection was opened. */
  opens(): number {
    return this.#opens;
  }

  cancel(): void {
    this.#transport.cancelActiveServerTurn();
  }

  clear(): void {
    this.#agent.send(JSON.stringify({ type: 'cf_agent_chat_clear' }));
  }

  async stored(): Promise<Message[]> {
    const response = await fetch(`/agents/chat/${this.#chat}/get-messages`);
    return (await response.json()) as Message[];
  }

  #follow(stream: ReadableStream<unknown>): void {
    const so: SdkRead = { text: '', error: null };
    this.#so = so;
    this.#reading = (async () => {
      const reader = stream.getReader();
      try {
        for (;;) {
          const { value, done } = await reader.read();
          if (done) return so;
          const chunk = value as { type: string; delta?: string; errorText?: string };
          if (chunk.type === 'text-delta') so.text += chunk.delta ?? '';
          so.error ??= chunk.errorText ?? null;
        }
      } catch (error) {
        so.error = String(error);
        return so;
      }
    })();
  }

  #take(text: string): void {
    const frame = JSON.parse(text) as Frame;
    if (frame.type === 'cf_agent_stream_resuming')
      this.#transport.handleStreamResuming({ id: frame.id ?? '' });
    else if (frame.type === 'cf_agent_stream_resume_none')
      this.#transport.handleStreamResumeNone(frame);
    else if (frame.type === 'cf_agent_stream_pending') this.#transport.handleStreamPending();
  }
}

export type SdkWindow = { SdkPage: typeof SdkPage; sdk: SdkPage };

Object.assign(globalThis, { SdkPage });
