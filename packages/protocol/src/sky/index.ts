export { SkyEvent } from './events.ts';
export { CF_SKY_VERSION, Receipt, RunReceipt, SESSION_VERSION, ToolReceipt } from './receipts.ts';
