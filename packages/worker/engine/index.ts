export { startEngine, type Engine, type EngineOptions } from './engine.ts';
export { EngineError } from './errors.ts';
export { HomeLog } from './home-log.ts';
export { lockHome, type HomeLock } from './home-lock.ts';
export { ownIdentity, startTimeOf, type ProcessIdentity } from './process-identity.ts';
