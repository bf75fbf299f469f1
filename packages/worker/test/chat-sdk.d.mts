type AgentClientOptions = {
  readonly agent: string;
  readonly name: string;
  readonly host: string;
  readonly protocol: 'ws' | 'wss';
  readonly WebSocket: unknown;
  readonly minReconnectionDelay: number;
  readonly maxReconnectionDelay: number;
};

export declare class AgentClient {
  constructor(options: AgentClientOptions);
  readonly ready: Promise<void>;
  send(text: string): void;
  close(): void;
  addEventListener(
    type: 'message' | 'open' | 'close',
    listener: (event: { readonly data?: unknown }) => void,
    options?: { readonly once?: boolean },
  ): void;
}

type SendOptions = {
  readonly chatId: string;
  readonly trigger: 'submit-message' | 'regenerate-message';
  readonly messageId: string | undefined;
  readonly messages: readonly unknown[];
  readonly abortSignal: AbortSignal | undefined;
};

export declare class WebSocketChatTransport {
  constructor(options: { readonly agent: AgentClient });
  sendMessages(options: SendOptions): Promise<ReadableStream<unknown>>;
  reconnectToStream(options: { readonly chatId: string }): Promise<ReadableStream<unknown> | null>;
  cancelActiveServerTurn(): boolean;
  handleStreamResuming(frame: { readonly id: string }): boolean;
  handleStreamResumeNone(frame: object): boolean;
  handleStreamPending(): boolean;
}
