export { AgentToRunner, AgentToWorker, SpoolLine } from './agent.ts';
export { ControlToRunner, ControlToWorker, Executor, LINK_VERSION } from './control.ts';
export { InputLine, Order, RemoveOrder, StartOrder, StopOrder } from './orders.ts';
