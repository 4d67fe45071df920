import { versionsListed } from '#contract/versions.ts';

/** A version of the settings of a bot or a strategy, as it is stored. */
interface StoredVersion<Settings> {
  version: number;
  changedAt: Date;
  changedBy: string | null; // e-mail, where the caller may read it
  settings: Settings;
  trades: number;
  profit: string;
}

/**
 * Versions as the contract has them: each with what it changed of the one before it, and of many the newest. `versions` has the newest first, and of
 * more than are listed one further.
 */
export function versionsReply<Settings, Change>(
  versions: readonly StoredVersion<Settings>[],
  changesBetween: (before: Settings, after: Settings) => Change[],
) {
  return versions.slice(0, versionsListed).map((each, i) => {
    const earlier = versions[i + 1];
    return {
      version: each.version,
      changed_at: each.changedAt.toISOString(),
      changed_by: each.changedBy,
      changes: earlier === undefined ? [] : changesBetween(earlier.settings, each.settings),
      trades: each.trades,
      pnl: Number(each.profit),
    };
  });
}
