import type { LoopTool } from '@filepath/loop';
import type { Kit } from './kit.ts';
import { PI } from './prompts/pi.ts';
import { SHELLEY } from './prompts/shelley.ts';
import { workspaceFacts } from './prompts/workspace-facts.ts';
import { bashTool } from './tools/bash.ts';
import { childTools } from './tools/children.ts';
import { editFileTool } from './tools/edit-file.ts';
import { gitReadTool, gitTool } from './tools/git.ts';
import { listFilesTool } from './tools/list-files.ts';
import { recallTool, rememberTool } from './tools/memory.ts';
import { readFileTool } from './tools/read-file.ts';
import { searchTool } from './tools/search.ts';
import { webFetchTool } from './tools/web-fetch.ts';
import { writeFileTool } from './tools/write-file.ts';

export type ProfileName = 'shelley' | 'pi';

/** The tools of a profile, always in the same order: a provider's cache begins with them. */
export function toolsOf(profile: ProfileName, kit: Kit): LoopTool[] {
  const reading = [readFileTool(kit), listFilesTool(kit), searchTool(kit)];
  const changing = [writeFileTool(kit), editFileTool(kit), bashTool(kit), gitTool(kit)];
  return [
    ...reading,
    ...(profile === 'shelley' ? changing : [gitReadTool(kit)]),
    webFetchTool(),
    ...childTools(kit),
    rememberTool(kit),
    recallTool(kit),
  ];
}

export async function systemPromptOf(
  profile: ProfileName,
  kit: Kit,
  configured: string | undefined,
): Promise<string> {
  const own = profile === 'shelley' ? SHELLEY : PI;
  const facts = await workspaceFacts(kit.place);
  return [own, facts, ...(configured ? [configured] : [])].join('\n\n');
}
