import { workStudies } from '#runner/jobs/studies/work-studies.ts';
import { openDatabase } from '#storage/database.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { ampleDisk } from './ample-disk.ts';
import { connectMarkets } from './connect-markets.ts';

/**
 * A worker of studies in a process of its own, to be killed by tests: `node test/support/studies-process.ts DATABASE_URL SANDBOX_URL CACHE_FOLDER`.
 * It has the priority of the test, which waits for it: one that gives way to everything waits for all other tests.
 */
const [databaseUrl = '', sandboxUrl = '', cacheFolder = ''] = process.argv.slice(2);
const db = openDatabase(databaseUrl, { connections: 6 });
const log = (message: string, details: object): void => void process.stderr.write(`${message} ${JSON.stringify(details)}\n`);
const warmPythons = new WarmParents(wallsOfSystem());
const markets = connectMarkets(sandboxUrl, Date.now);
workStudies(
  { db, markets, disk: ampleDisk, cacheFolder, python: noPython, warmPythons, now: Date.now, log },
  { onError: (error) => log('something went wrong', { error: error.message }) },
);
