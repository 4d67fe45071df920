import { runningServerUrl } from '#storage/embedded/running-server.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Config } from './config.ts';

/** What an instance leaves in its folder for processes that join it. */
const shared = z.object({ sandboxUrl: z.url({ protocol: /^http$/u }) });

const fileOf = (home: string): string => join(home, 'instance.json');

/** Leaves what processes that join the instance need to know. */
export function shareInstance(home: string, instance: z.infer<typeof shared>): void {
  writeFileSync(fileOf(home), `${JSON.stringify(instance)}\n`, { mode: 0o600 });
}

/** What the instance of this folder has left, also an earlier one; null when there is nothing that can be read. */
export function sharedInstance(home: string): z.infer<typeof shared> | null {
  try {
    return shared.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
  } catch {
    return null; // none has run here yet, or a version that left nothing
  }
}

/**
 * The settings of a role that is started by itself: without DATABASE_URL it joins the instance that runs with its folder, on that
 * instance's embedded database and sandbox.
 *
 * Fails: with one sentence when none runs
 */
export function joinInstance(config: Config): Config {
  if (config.databaseUrl !== null) return config;
  const databaseUrl = runningServerUrl(config.home);
  if (databaseUrl === null)
    throw new Error(
      `No instance of Flotilla runs with the folder ${config.home}, and DATABASE_URL names no database. Start it there first, or set FLOTILLA_HOME to its folder.`,
    );
  return { ...config, databaseUrl, sandboxUrl: config.sandboxUrl ?? sharedInstance(config.home)?.sandboxUrl ?? null };
}
