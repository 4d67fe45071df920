import type { Kysely } from 'kysely';
import { sql } from 'kysely';

const statements = [
  `alter table bots add column own_settings jsonb not null default '{}' check (jsonb_typeof(own_settings) = 'object')`,
  // The four of the trailing stop are set together: with a switch of its own a bot keeps the distances that it has now.
  `update bots b set own_settings = jsonb_strip_nulls(jsonb_build_object(
      'timeframe', b.timeframe, 'stoploss', b.stoploss, 'minimalRoi', b.minimal_roi, 'maxConsecutiveLosses', b.max_consecutive_losses))
    || case when b.trailing_stop is null then '{}'::jsonb else jsonb_build_object(
      'trailingStop', b.trailing_stop, 'trailingStopPositive', s.trailing_stop_positive,
      'trailingStopPositiveOffset', coalesce(s.trailing_stop_positive_offset, 0),
      'trailingOnlyOffsetIsReached', s.trailing_only_offset_is_reached) end
    from strategies s where s.id = b.strategy_id`,
  `alter table bots drop column timeframe, drop column stoploss, drop column minimal_roi, drop column trailing_stop,
    drop column max_consecutive_losses`,
  `alter table bots add column signals_from timestamptz`,
  `alter table strategies add column signals_from timestamptz`,
];

/**
 * What a bot sets itself, above its strategy, is one value: a name that is missing is inherited. `signals_from` is the opening time
 * after which candles count, since the parameters or the timeframe have changed.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
