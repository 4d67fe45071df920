import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { Migrator } from 'kysely/migration';
import type { Schema } from './schema.ts';
import * as firstSchema from './migrations/0001-first-schema.ts';
import * as funding from './migrations/0002-funding.ts';
import * as signIn from './migrations/0003-sign-in.ts';
import * as stopMoves from './migrations/0004-stop-moves.ts';
import * as backtests from './migrations/0005-backtests.ts';
import * as orderLife from './migrations/0006-order-life.ts';
import * as partitions from './migrations/0007-partitions.ts';
import * as fairShare from './migrations/0008-fair-share.ts';
import * as apiKeys from './migrations/0009-api-keys.ts';
import * as auditHash from './migrations/0010-audit-hash.ts';
import * as secondFactorMisses from './migrations/0011-second-factor-misses.ts';
import * as installationSettings from './migrations/0013-installation-settings.ts';
import * as tradeLists from './migrations/0014-trade-lists.ts';
import * as settingsVersions from './migrations/0015-settings-versions.ts';
import * as webhookMessages from './migrations/0016-webhook-messages.ts';
import * as traderSums from './migrations/0017-trader-sums.ts';
import * as sheetRows from './migrations/0018-sheet-rows.ts';
import * as reportMails from './migrations/0019-report-mails.ts';
import * as tradingStates from './migrations/0021-trading-states.ts';
import * as limitsAndAlarms from './migrations/0022-limits-and-alarms.ts';
import * as orderCourses from './migrations/0023-order-courses.ts';
import * as closeAsked from './migrations/0024-close-asked.ts';
import * as differences from './migrations/0025-differences.ts';
import * as heldElsewhere from './migrations/0026-held-elsewhere.ts';
import * as accountChecks from './migrations/0027-account-checks-and-what-runners-take.ts';
import * as unrecordedOrders from './migrations/0028-unrecorded-orders.ts';
import * as closeAll from './migrations/0029-close-all.ts';
import * as drills from './migrations/0030-drills.ts';
import * as accountBalances from './migrations/0031-account-balances.ts';
import * as stopAsked from './migrations/0032-stop-asked.ts';
import * as alarmItems from './migrations/0033-alarm-items.ts';
import * as keyMarks from './migrations/0034-key-marks.ts';
import * as accountsOfOpenTrades from './migrations/0035-accounts-of-open-trades.ts';
import * as ceilings from './migrations/0036-ceilings.ts';
import * as codesOfBrowsers from './migrations/0037-codes-of-browsers.ts';
import * as auditVersions from './migrations/0038-audit-versions.ts';
import * as accountsOfTrades from './migrations/0039-accounts-of-trades.ts';
import * as profits from './migrations/0040-profits.ts';
import * as ownSettings from './migrations/0041-own-settings.ts';
import * as channels from './migrations/0043-channels.ts';
import * as manualActions from './migrations/0045-manual-actions.ts';
import * as pairLocks from './migrations/0046-pair-locks.ts';
import * as archivedBots from './migrations/0050-archived-bots.ts';
import * as tagsOfBots from './migrations/0051-tags-of-bots.ts';
import * as authenticatorApps from './migrations/0052-authenticator-apps.ts';
import * as passkeys from './migrations/0056-passkeys.ts';
import * as browserChannels from './migrations/0057-browser-channels.ts';
import * as strategyCode from './migrations/0058-strategy-code.ts';
import * as backtestsOfBots from './migrations/0059-backtests-of-bots.ts';
import * as amountsOfDifferences from './migrations/0061-amounts-of-differences.ts';
import * as removedRules from './migrations/0062-removed-rules.ts';
import * as portfolios from './migrations/0063-portfolios.ts';
import * as decisionHours from './migrations/0065-decision-hours.ts';
import * as ageOfBackupCodes from './migrations/0066-age-of-backup-codes.ts';
import * as importedTrades from './migrations/0070-imported-trades.ts';
import * as studies from './migrations/0071-studies.ts';
import * as certificates from './migrations/0072-certificates.ts';
import * as certificatesTriedAgain from './migrations/0073-certificates-tried-again.ts';
import * as changesInOneMoment from './migrations/0074-changes-in-one-moment.ts';
import * as sumsBySettledCurrency from './migrations/0075-sums-by-settled-currency.ts';
import * as botsOfKeys from './migrations/0076-bots-of-keys.ts';
import * as removedBacktestDetails from './migrations/0077-removed-backtest-details.ts';
import * as candlesAskedForAgain from './migrations/0078-candles-asked-for-again.ts';
import * as furtherReasons from './migrations/0079-further-reasons.ts';
import * as positionMargins from './migrations/0080-position-margins.ts';
import * as marginModes from './migrations/0081-margin-modes.ts';
import * as serverStarts from './migrations/0082-server-starts.ts';
import * as capitalByMode from './migrations/0083-capital-by-mode.ts';
import * as certificatesInTurn from './migrations/0084-certificates-in-turn.ts';
import * as outsideSales from './migrations/0085-outside-sales.ts';
import * as mailedAndFirstTrades from './migrations/0086-mailed-and-first-trades.ts';
import * as leftAccounts from './migrations/0087-left-accounts.ts';
import { keepPartitions } from './partitions.ts';

/** All migrations by name, in the order of their numbers; forward only, never edited after a release. */
export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first-schema': firstSchema,
  '0002-funding': funding,
  '0003-sign-in': signIn,
  '0004-stop-moves': stopMoves,
  '0005-backtests': backtests,
  '0006-order-life': orderLife,
  '0007-partitions': partitions,
  '0008-fair-share': fairShare,
  '0009-api-keys': apiKeys,
  '0010-audit-hash': auditHash,
  '0011-second-factor-misses': secondFactorMisses,
  '0013-installation-settings': installationSettings,
  '0014-trade-lists': tradeLists,
  '0015-settings-versions': settingsVersions,
  '0016-webhook-messages': webhookMessages,
  '0017-trader-sums': traderSums,
  '0018-sheet-rows': sheetRows,
  '0019-report-mails': reportMails,
  '0021-trading-states': tradingStates,
  '0022-limits-and-alarms': limitsAndAlarms,
  '0023-order-courses': orderCourses,
  '0024-close-asked': closeAsked,
  '0025-differences': differences,
  '0026-held-elsewhere': heldElsewhere,
  '0027-account-checks-and-what-runners-take': accountChecks,
  '0028-unrecorded-orders': unrecordedOrders,
  '0029-close-all': closeAll,
  '0030-drills': drills,
  '0031-account-balances': accountBalances,
  '0032-stop-asked': stopAsked,
  '0033-alarm-items': alarmItems,
  '0034-key-marks': keyMarks,
  '0035-accounts-of-open-trades': accountsOfOpenTrades,
  '0036-ceilings': ceilings,
  '0037-codes-of-browsers': codesOfBrowsers,
  '0038-audit-versions': auditVersions,
  '0039-accounts-of-trades': accountsOfTrades,
  '0040-profits': profits,
  '0041-own-settings': ownSettings,
  '0043-channels': channels,
  '0045-manual-actions': manualActions,
  '0046-pair-locks': pairLocks,
  '0050-archived-bots': archivedBots,
  '0051-tags-of-bots': tagsOfBots,
  '0052-authenticator-apps': authenticatorApps,
  '0056-passkeys': passkeys,
  '0057-browser-channels': browserChannels,
  '0058-strategy-code': strategyCode,
  '0059-backtests-of-bots': backtestsOfBots,
  '0061-amounts-of-differences': amountsOfDifferences,
  '0062-removed-rules': removedRules,
  '0063-portfolios': portfolios,
  '0065-decision-hours': decisionHours,
  '0066-age-of-backup-codes': ageOfBackupCodes,
  '0070-imported-trades': importedTrades,
  '0071-studies': studies,
  '0072-certificates': certificates,
  '0073-certificates-tried-again': certificatesTriedAgain,
  '0074-changes-in-one-moment': changesInOneMoment,
  '0075-sums-by-settled-currency': sumsBySettledCurrency,
  '0076-bots-of-keys': botsOfKeys,
  '0077-removed-backtest-details': removedBacktestDetails,
  '0078-candles-asked-for-again': candlesAskedForAgain,
  '0079-further-reasons': furtherReasons,
  '0080-position-margins': positionMargins,
  '0081-margin-modes': marginModes,
  '0082-server-starts': serverStarts,
  '0083-capital-by-mode': capitalByMode,
  '0084-certificates-in-turn': certificatesInTurn,
  '0085-outside-sales': outsideSales,
  '0086-mailed-and-first-trades': mailedAndFirstTrades,
  '0087-left-accounts': leftAccounts,
};

/**
 * Brings the database to this program's schema, with the partitions that are needed next. Several starters may call it at once: one migrates, the others wait.
 *
 * Fails: when a migration fails (everything is rolled back), and when the database has a schema newer than this program
 */
export async function migrate(db: Kysely<Schema>, known: Readonly<Record<string, Migration>> = migrations): Promise<string[]> {
  await refuseNewerSchema(db, known);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...known }) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'the schema';
    throw new Error(
      `The database could not be brought up to date (${failed}): ${error instanceof Error ? error.message : JSON.stringify(error)}`,
      {
        cause: error,
      },
    );
  }
  await keepPartitions(db, new Date());
  return (results ?? []).map((result) => result.migrationName);
}

/** How a database's schema compares with this program's: migrations that it lacks, and those this program does not know. */
export async function schemaState(
  db: Kysely<Schema>,
  known: Readonly<Record<string, Migration>> = migrations,
): Promise<{ isOurs: boolean; missing: string[]; newer: string[] }> {
  const table = await sql<{ there: string | null }>`select to_regclass('kysely_migration')::text as there`.execute(db);
  const isOurs = table.rows[0]?.there !== null;
  const applied = isOurs ? await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db) : { rows: [] };
  const names = applied.rows.map((row) => row.name);
  return {
    isOurs,
    missing: Object.keys(known).filter((name) => !names.includes(name)),
    newer: names.filter((name) => !Object.hasOwn(known, name)),
  };
}

/**
 * Refuses a database whose schema is not this program's, for whoever works on it and changes no tables.
 *
 * Fails: with what to do
 */
export async function refuseOtherSchema(db: Kysely<Schema>): Promise<void> {
  await refuseNewerSchema(db, migrations);
  const { missing } = await schemaState(db);
  if (missing.length === 0) return;
  throw new Error(
    `The database lacks ${missing.length} of the changes that this version of Flotilla makes (${missing.at(-1)}). Stop every role, run: npm run -s flotilla -- migrate, then start them.`,
  );
}

async function refuseNewerSchema(db: Kysely<Schema>, known: Readonly<Record<string, Migration>>): Promise<void> {
  const { newer } = await schemaState(db, known);
  if (newer.length > 0) {
    throw new Error(
      `The database was made by a newer version of Flotilla (${newer.join(', ')}). Start that version; this one changes nothing.`,
    );
  }
}
