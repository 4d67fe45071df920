import { ampleDisk } from '../../../../test/support/ample-disk.ts';
import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Markets } from '#feeds/markets.ts';
import { openDatabase } from '#storage/database.ts';
import { wallsOfSystem } from '#strategy-process/child-command.ts';
import { noPython } from '#strategy-process/python/find-python.ts';
import { WarmParents } from '#strategy-process/python/warm-parents.ts';
import { OpenStudies } from './open-studies.ts';
import { unlessAborted } from './unless-aborted.ts';

test('a batch that is claimed while its worker closes opens nothing, which would fail on a database that is gone', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  process.on('unhandledRejection', note); // it ends a process
  onTestFinished(() => void process.off('unhandledRejection', note));
  const db = openDatabase('postgresql://127.0.0.1:1/none');
  await db.destroy();
  const markets = new Markets([], async () => await Promise.reject(new Error('none')));
  const warmPythons = new WarmParents(wallsOfSystem());
  const open = new OpenStudies(
    { db, markets, disk: ampleDisk, cacheFolder: '', python: noPython, warmPythons, now: Date.now, log() {} },
    1,
  );
  const work = vi.fn();
  expect(await open.use(randomUUID(), AbortSignal.abort(), work)).toBeNull();
  await open.close();
  expect(await open.use(randomUUID(), new AbortController().signal, work)).toBeNull();
  expect(await unlessAborted(AbortSignal.abort(), Promise.reject(new Error('too late')))).toBeNull();
  await turn();
  expect([work.mock.calls, unhandled]).toEqual([[], []]);
});
