import { errorText } from '#engine/ports/error-text.ts';
import { lostData } from '#storage/embedded/lost-data.ts';
import { embeddedData, placeOutside } from '#storage/embedded/server-place.ts';
import { withEmbeddedServer } from '#storage/embedded/with-server.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { checkPort, checkProxy } from './address-checks.ts';
import type { DatabaseFindings } from './database-checks.ts';
import { checkDatabase, unknownDatabase } from './database-checks.ts';
import { checkExchanges } from './exchange-checks.ts';
import type { Finding } from './finding.ts';
import { broken, ok } from './finding.ts';
import { checkFolders } from './folder-checks.ts';
import { checkMasterKey } from './key-check.ts';
import { checkDisk, checkMemory, checkNode } from './machine-checks.ts';
import { checkMail } from './mail-check.ts';
import { checkPython } from './python-check.ts';
import { checkWalls } from './wall-checks.ts';

/** Checks a set-up from the machine up; the product may be running. Nothing of it is changed. */
export async function examine(config: Config, now: number = Date.now()): Promise<Finding[]> {
  const folders = checkFolders(config.home);
  const database = await findDatabase(config, now);
  return [
    checkNode(process.versions.node),
    checkMemory(process.availableMemory()),
    await checkDisk([config.home, '/var/lib/flotilla']),
    folders,
    checkWalls(join(config.home, 'strategies'), wallsOfSystem()),
    await checkPython(join(config.home, 'strategies'), config.python),
    await checkPort(config),
    checkProxy(config),
    ...database.findings,
    checkMasterKey(config, database.fingerprint),
    await checkMail(config),
    ...(await checkExchanges(database.markets, config.sandboxUrl)),
  ];
}

/** An embedded database that does not run is started for the check, and stopped again. */
async function findDatabase({ home, databaseUrl }: Config, now: number): Promise<DatabaseFindings> {
  if (databaseUrl !== null) return checkDatabase(databaseUrl, { isEmbedded: false, outside: null, now });
  try {
    if (embeddedData(home) === null) {
      const lost = lostData(home);
      const none = ok('database', 'There is none yet; the first start makes it.');
      return { findings: [lost === null ? none : broken('database', lost.found, lost.toDo)], ...unknownDatabase };
    }
    const outside = placeOutside(home);
    return await withEmbeddedServer(home, async (url) => checkDatabase(url, { isEmbedded: true, outside, now }));
  } catch (error) {
    return { findings: [broken('database', errorText(error), 'See postgres.log beside its data.')], ...unknownDatabase };
  }
}
