import { secondMs } from '#engine/market/durations.ts';
import { passwordQueue } from '#server/auth/passwords.ts';
import type { Database } from '#storage/database.ts';
import { databaseAnswers } from '#storage/database.ts';
import type { BackupTest, PassedBackup } from '#storage/installation/facts.ts';
import { backupTestFact, passedBackupFact, readFact } from '#storage/installation/facts.ts';
import { countUnclaimedBots, hasLiveRunner } from '#storage/bots/runners.ts';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { liveMetrics } from './live-metrics.ts';
import type { Metric } from './metric-text.ts';
import { gauge } from './metric-text.ts';

const signInPath = '/api/auth/login';

/** What a web process has answered, and what it knows of the platform. It counts from now on. */
export function webMetrics({ server }: { server: Server }, db: Database): () => Promise<Metric[]> {
  const answers = new Map<number, number>();
  let failedSignIns = 0;
  server.on('request', (request: IncomingMessage, reply: ServerResponse) => {
    reply.once('finish', () => {
      answers.set(reply.statusCode, (answers.get(reply.statusCode) ?? 0) + 1);
      if (reply.statusCode >= 400 && reply.statusCode < 500 && request.url?.split('?')[0] === signInPath) failedSignIns += 1;
    });
  });
  return async () => {
    const { running, waiting } = passwordQueue();
    return [
      {
        name: 'flotilla_http_answers_total',
        help: 'Answers to calls, by status.',
        type: 'counter',
        samples: [...answers].map(([status, value]) => ({ value, labels: { status: String(status) } })),
      },
      {
        name: 'flotilla_sign_in_failures_total',
        help: 'Sign-ins that were refused.',
        type: 'counter',
        samples: [{ value: failedSignIns }],
      },
      gauge('flotilla_hash_queue', 'Passwords that are hashed or wait for it.', running + waiting),
      ...(await platformMetrics(db)),
    ];
  };
}

/** A database that does not answer is a figure, too: the others are left out then. */
async function platformMetrics(db: Database): Promise<Metric[]> {
  const answers = await databaseAnswers(db);
  const works = gauge('flotilla_database_up', 'Whether the database takes writes (1) or not (0).', Number(answers));
  if (!answers) return [works];
  const [isRun, unclaimed, backup, test] = await Promise.all([
    hasLiveRunner(db),
    countUnclaimedBots(db),
    readFact<PassedBackup>(db, passedBackupFact),
    readFact<BackupTest>(db, backupTestFact),
  ]);
  return [
    works,
    ...(await liveMetrics(db)),
    gauge('flotilla_runner_up', 'Whether a runner holds a lease (1) or no bot runs (0).', Number(isRun)),
    gauge('flotilla_unclaimed_bots', 'Bots that are not stopped and that no runner runs.', unclaimed),
    {
      name: 'flotilla_backup_age_seconds',
      help: 'Age of the newest backup of the embedded database that has passed its test.',
      type: 'gauge',
      samples: backup === null ? [] : [{ value: (Date.now() - Date.parse(backup.madeAt)) / secondMs }],
    },
    {
      name: 'flotilla_backup_test_age_seconds',
      help: 'Since a backup was last made and restored as a test, or tried.',
      type: 'gauge',
      samples: test === null ? [] : [{ value: (Date.now() - Date.parse(test.testedAt)) / secondMs }],
    },
    {
      name: 'flotilla_backup_test_ok',
      help: 'Whether that gave everything back (1) or not (0).',
      type: 'gauge',
      samples: test === null ? [] : [{ value: Number(test.fault === null) }],
    },
  ];
}
