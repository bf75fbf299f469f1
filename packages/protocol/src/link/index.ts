export { MachineCheck } from './checks.ts';
export { AgentToRunner, AgentToWorker, SpoolLine } from './agent.ts';
export {
  CatalogReport,
  ControlToRunner,
  ControlToWorker,
  Executor,
  Limits,
  LINK_VERSION,
} from './control.ts';
export {
  FreezeOrder,
  InputLine,
  JobOrder,
  JobWork,
  Order,
  RemoveOrder,
  StartOrder,
  StopOrder,
} from './orders.ts';
export { Answer, Question } from './questions.ts';
