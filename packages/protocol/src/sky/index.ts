export { SkyEvent } from './events.ts';
export {
  SKY_EXPORT_VERSION,
  SKY_LINE,
  skyExportClaim,
  SkyExportEnd,
  SkyExportHeader,
  SkyExportLine,
  skyLineInput,
} from './export-lines.ts';
export { readSkyExport, SkyExportFault, type SkyExportSummary } from './export-reader.ts';
export { type SignClaim, type SkyExportSource, writeSkyExport } from './export-writer.ts';
export { hashJson, isSignedBy, sha256Hex } from './hashing.ts';
export { skyEventOf, type SkyReading, skyRow } from './in-log.ts';
export { deeperThan, isObject } from '../json.ts';
export { MEMORY_SCHEMA_VERSION, SkyMemory, SUMMARY_LENGTH } from './memory.ts';
export { SkyMessage, SkyMetadata, SkyPart, SkyRole } from './message.ts';
export { SkyOrder } from './order.ts';
export { FileChange, LocalSignature, Receipt, RunReceipt, ToolReceipt } from './receipts.ts';
export { type BlobPlace, formatRef, parseRef, SkyRef } from './refs.ts';
export { SkyToolCall, SkyToolState } from './tool-call.ts';
export { type OfThread, toSkyMessage, toUiMessage, UiMessage } from './ui-message.ts';
export { toSkyPart, toUiPart, type UiPart } from './ui-part.ts';
export { ExecutorKind } from './values.ts';
export { type Difference, SkyReplay } from './replay.ts';
export { CF_SKY_VERSION, isReadable, SESSION_VERSION, SkyVersion } from './versions.ts';
export { toPiSession } from './pi-session.ts';
export { type SkyToolName, TOOL_ARGS, TOOL_LIMITS, type ToolArgs } from './tools/args.ts';
export {
  type DeterministicTool,
  isDeterministic,
  runDeterministic,
} from './tools/deterministic.ts';
export { type Files, refusal, type ToolOutcome } from './tools/files.ts';
export {
  helloClaim,
  isTunnelToken,
  makeTunnelToken,
  parseTunnelToken,
  reportClaim,
  requestClaim,
  TUNNEL_CLOSED,
  TUNNEL_LIMITS,
  TUNNEL_VERSION,
  TunnelReport,
  TunnelRequest,
  TunnelToLocal,
  TunnelToWorker,
} from './tunnel/wire.ts';
export { type RequestFault, TunnelRequests } from './tunnel/requests.ts';
export { receiptFault } from './tunnel/receipt-fault.ts';
export {
  EXTENSION_LIMITS,
  ExtensionContent,
  ExtensionHook,
  ExtensionManifest,
  extensionRef,
  ExtensionRef,
  type ExtensionTool,
  parseExtensionRef,
} from './extensions/manifest.ts';
export { argsSchema, ToolInput } from './extensions/tool-input.ts';
export {
  CatalogEntry,
  ExtensionCatalogFile,
  ExtensionCatalogList,
  ExtensionRemove,
  ExtensionsOfChat,
  ExtensionsPut,
} from './extensions/api.ts';
