import { existsSync } from 'node:fs';
import type { Walls } from '#strategy-process/child-command.ts';
import { strategyFiles } from '../strategy-folder.ts';
import type { Finding } from './finding.ts';
import { ok, warning } from './finding.ts';

const check = 'strategy walls';

/** Which walls this system puts around the strategies of a folder's files; without files nothing needs any. */
export function checkWalls(folder: string, { network, memory }: Walls): Finding {
  const always = 'Strategies of files run with no files but their own, no environment, no other programs and a lower priority';
  if (network && memory) return ok(check, `${always}, without a network, and with a limit of memory.`);
  const lacking = network
    ? 'but with no limit of memory outside the heap'
    : memory
      ? 'but can reach the network'
      : 'but can reach the network, and with no limit of memory outside the heap';
  const found = `${always}, ${lacking}.`;
  if (!existsSync(folder) || strategyFiles(folder).length === 0) return ok(check, `${found} There are none.`);
  return warning(
    check,
    found,
    network
      ? 'Run files you trust only.'
      : 'Let the product’s user make network namespaces (unshare --map-root-user --net), or run files you trust only.',
  );
}
