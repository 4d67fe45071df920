import { aDecision } from '#storage/testing/a-decision.ts';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { KeptStudy } from '#engine/lab/kept-study.ts';
import { listAudit } from '#storage/audit/audit-log.ts';
import { addBacktest, findBacktest } from '#storage/backtests/backtests.ts';
import { openJobs } from '#storage/backtests/jobs.ts';
import { addDecisions } from '#storage/bots/decisions.ts';
import { askCertificate, findCertificate } from '#storage/certificates/certificates.ts';
import { addStudy, findStudy, openSeal, requireStudy } from '#storage/studies/studies.ts';
import { triesOfStudy } from '#storage/studies/study-tries.ts';
import { beginStudy, claimBatch, claimStudy, finishBatch, hasStudyWork, keepBatch, keepUnsealed } from '#storage/studies/study-work.ts';
import { aBacktest, aPlan } from '#storage/testing/a-backtest.ts';
import { aGround, aSearch, aStudy } from '#storage/testing/a-study.ts';
import { databaseUrl } from '../../../test/support/database-server.ts';
import { addTestBot } from '../../../test/support/test-bot.ts';
import { startTestServer } from '../../../test/support/test-server.ts';
import { endedBySuspension } from './end-work.ts';

const server = await startTestServer();
const { db } = server.dependencies;
const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db);
const url = databaseUrl(inject('databaseServerUrl'), rows[0]?.name ?? '');
const jobs = await openJobs(db, url, { isWorker: true, onError: console.error });
const atWork = new Set<string>(); // runs that the worker is at until they are cancelled
await jobs.workBacktests(
  async (run, { signal }) => {
    atWork.add(run.id);
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    atWork.delete(run.id);
    throw new Error('It was cancelled');
  },
  { concurrency: 2 },
);
afterAll(() => jobs.close());

type Person = Awaited<ReturnType<typeof server.signedIn>>;
let admin: Person;
let person: Person;
let other: Person;
let strategyId = '';
let bots: string[] = [];
const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
const worker = '00000000-0000-4000-8000-000000000001';

beforeEach(async () => {
  [admin, person, other] = await Promise.all([server.signedIn('admin'), server.signedIn('trader'), server.signedIn('trader')]);
  bots = [];
  for (const { email } of [person, other]) bots.push(await addTestBot(db, { strategy: 'EmaCross', owner: email, nickname: 'of ' + email }));
  strategyId = (await db.selectFrom('bots').select('strategyId').executeTakeFirstOrThrow()).strategyId;
  await addDecisions(
    db,
    bots.map((botId) => aDecision(botId, Date.parse(`${day}T10:00:00Z`))),
  );
});
afterEach(() => sql`truncate studies, study_tries, certificates, backtests cascade`.execute(db));

const suspend = (flags = { verified: false, email_verified: true }) => admin.verifyUser({ params: { id: person.userId }, body: flags });
const detail = async () => (await listAudit(db, { action: 'verify-user', search: '' }, 1)).lines[0]?.detail;

async function aRun({ userId }: Person, plan: typeof aPlan | null = null): Promise<string> {
  return db.transaction().execute(async (trx) => {
    const id = (await addBacktest(trx, aBacktest({ userId, strategyId, plan }))) ?? '';
    await jobs.enqueueBacktest(trx, id);
    return id;
  });
}
const queued = async ({ userId }: Person): Promise<string> => (await addStudy(db, aStudy({ userId, strategyId }))) ?? '';
async function running(of: Person): Promise<string> {
  const id = await queued(of);
  const claim = await claimStudy(db, worker, 'prepare');
  const kept = new KeptStudy((await requireStudy(db, id)).search);
  expect(await beginStudy(db, worker, claim!, aGround, kept)).toBe(true);
  return id;
}

describe('who is suspended', () => {
  test.each([
    ['over one pair', null],
    ['over several', aPlan],
  ])('has no backtest %s under way, and its worker stops', async (_, plan) => {
    const [own, others] = [await aRun(person, plan), await aRun(other, plan)];
    await vi.waitUntil(() => atWork.has(own) && atWork.has(others));
    await suspend();
    await vi.waitUntil(() => !atWork.has(own), { timeout: 10_000 });
    expect(await findBacktest(db, own)).toMatchObject({ status: 'failed', cancelled: true, error: endedBySuspension });
    expect([atWork.has(others), (await findBacktest(db, others))?.cancelled]).toEqual([true, false]);
    expect(await detail()).toMatchObject({ backtests_ended: 1 });
    expect((await findBacktest(db, own))?.finishedAt).not.toBeNull();
    await jobs.cancelBacktest(others, 'cancelled');
    await vi.waitUntil(() => !atWork.has(others), { timeout: 10_000 });
  });

  test('has no study under way; its tries so far stay counted, and nobody else loses one', async () => {
    const begun = await running(person);
    const first = (await claimBatch(db, worker))!;
    const answers = first.points.map(() => ({ fault: 'none' }));
    expect(await finishBatch(db, worker, first, answers, () => new KeptStudy(aSearch))).toBe(true);
    const claim = (await claimBatch(db, worker))!;
    const [waits, others] = [await queued(person), await queued(other)];
    const before = await triesOfStudy(db, begun);
    await suspend();
    const states = await Promise.all([begun, waits, others].map(async (id) => (await findStudy(db, id))?.status));
    expect(states).toEqual(['cancelled', 'cancelled', 'queued']);
    expect(await keepBatch(db, worker, claim)).toBe(false); // its worker ends then
    expect((await sql`select from study_batches where study_id = ${begun}`.execute(db)).rows).toEqual([]);
    expect(await triesOfStudy(db, begun)).toEqual(before);
    expect(await detail()).toMatchObject({ studies_ended: 2 });
  });

  test('keeps what is sealed, and the figure of a seal that was opened', async () => {
    const [closed, opened] = [await queued(person), await queued(person)];
    await sql`update studies set status = 'done', finished_at = now(), ground = ${JSON.stringify(aGround)}::jsonb where user_id = ${person.userId}`.execute(
      db,
    );
    const figures = JSON.stringify({ trades: 1 });
    await sql`insert into study_epochs (study_id, epoch, point, figures) select id, 1, '{1}', ${figures}::jsonb from studies`.execute(db);
    expect(await openSeal(db, opened, person.userId, 1)).toBe(true);
    const claim = (await claimStudy(db, worker, 'conclude'))!;
    await suspend();
    expect(await findStudy(db, closed)).toMatchObject({ status: 'done', unsealedAt: null });
    expect(await findStudy(db, opened)).toMatchObject({ status: 'done', unsealed: null });
    expect(await hasStudyWork(db)).toBe(true);
    expect(await keepUnsealed(db, worker, claim, { trades: 3 } as never)).toBe(true);
    expect((await findStudy(db, opened))?.unsealed).toEqual({ trades: 3 });
    expect(await detail()).not.toHaveProperty('studies_ended');
  });

  test('has no day replayed that they have asked for; what others and the night want is', async () => {
    const [own, others] = bots as [string, string];
    await askCertificate(db, own, day, person.userId);
    await askCertificate(db, others, day, other.userId);
    await suspend({ verified: true, email_verified: false });
    expect(await findCertificate(db, own, day)).toBeNull();
    expect((await findCertificate(db, others, day))?.state).toBe('waiting');
    expect(await detail()).toMatchObject({ replays_ended: 1 });
  });

  test('has ended nothing where there was nothing, and the log says nothing of it', async () => {
    await suspend();
    expect(Object.keys((await detail()) ?? {}).toSorted()).toEqual(['from', 'to']);
  });
});

test('who is verified, or gets another role, has everything continue', async () => {
  const study = await queued(person);
  await askCertificate(db, bots[0], day, person.userId);
  await sql`update users set verified = false where id = ${person.userId}`.execute(db);
  await suspend({ verified: true, email_verified: true });
  await admin.changeRole({ params: { id: person.userId }, body: { role: 'investor' } });
  expect((await findStudy(db, study))?.status).toBe('queued');
  expect((await findCertificate(db, bots[0], day))?.state).toBe('waiting');
});
