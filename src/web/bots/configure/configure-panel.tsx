import type { Bot } from '#contract/bots.ts';
import type { FormEvent, ReactNode } from 'react';
import { useRef, useState } from 'react';
import { changeAddress } from '../../address/address.ts';
import { isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { Banner } from '../../ui/banner.tsx';
import { sendByButtonOnly } from '../../ui/send-by-button-only.ts';
import { CardPanel } from '../../ui/card-panel.tsx';
import type { Issue } from '../../ui/first-issue.ts';
import { ModeBand } from '../../ui/mode-band.tsx';
import { BotDialog } from '../bot-dialog.tsx';
import { versionText } from '../bot-notes.ts';
import type { BotChange, BotsState } from '../use-bots.ts';
import type { BotConfig } from '../use-bot-details.ts';
import type { BotEntries, Limits } from './bot-entries.ts';
import { toBotChanges } from './bot-bodies.ts';
import { botIssue, isKeyTyped } from './bot-issue.ts';
import { BotHistory } from './history/bot-history.tsx';
import { FormFoot } from './form-foot.tsx';
import { FormTools } from './form-tools.tsx';
import { GeneralSettings } from './sections/general-settings.tsx';
import { HindsightLine } from './hindsight/hindsight-line.tsx';
import { KeySettings } from './sections/key-settings.tsx';
import { LeverageSettings } from './sections/leverage-settings.tsx';
import { OwnersKeys } from './sections/owners-keys.tsx';
import { Outdated } from './history/outdated.tsx';
import { PerformanceMetrics } from './sections/performance-metrics.tsx';
import { TradingSettings } from './sections/trading-settings.tsx';
import { OwnSettings } from './own/own-settings.tsx';
import { useBotForm } from './use-bot-form.ts';
import { useSaveBot } from './use-save-bot.ts';

/** See `ConfigurePanel`. */
export interface ConfigurePanelProps {
  bot: Bot | null; // null: a new one
  config: BotConfig | null;
  emails: readonly string[];
  limits: Limits;
  state: Pick<BotsState, 'apply' | 'cancel' | 'isBusy' | 'reload'>;
  openTrades: number | undefined; // of the bot; undefined while not known
  tradingOf: (bot: Bot) => ReactNode; // the kill switch of a bot
}

/** What says which account of a key a bot trades with. */
const accountFields = ['exchange_id', 'margin_mode', 'stake_currency'] as const;

/** What does not change how a bot trades. */
const untradedFields: ReadonlySet<keyof BotEntries> = new Set(['nickname', 'mode', 'storedKey', 'label', 'key', 'secret', 'passphrase']);

/** The form that creates a bot or changes one. */
export function ConfigurePanel({ bot, config, emails, limits, state, openTrades, tradingOf }: ConfigurePanelProps) {
  const user = useUser();
  const form = useBotForm(config, user, limits);
  const saving = useSaveBot(form, state.reload);
  const [found, setIssue] = useState<Issue | null>(null);
  const [asked, setAsked] = useState<BotChange | null>(null);
  const [refused, setRefused] = useState<string | null>(null); // why the status was not changed
  const host = useRef<HTMLFormElement>(null);
  const { entries, stored } = form;
  // A fault that has been put right is no longer shown.
  const issue = found !== null && botIssue(entries, form.storedEntries)?.field === found.field ? found : null;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setRefused(null);
    const failed = botIssue(entries, form.storedEntries);
    setIssue(failed);
    if (failed !== null) {
      host.current?.querySelector<HTMLElement>(`[data-field="${failed.field}"] input:not([type="hidden"])`)?.focus();
    } else if (bot !== null && stored !== null && entries.mode !== stored.mode) {
      // What is asked about is the bot as it will be saved.
      const savesKey = isKeyTyped(entries, form.storedEntries) || entries.storedKey !== '';
      const { own_settings: own, ...changes } = toBotChanges(entries, form.storedEntries, null);
      const inherited = form.strategies.find(({ id }) => id === bot.strategy_id)?.stoploss ?? bot.stoploss;
      const after = { ...bot, ...changes, stoploss: own?.stoploss === undefined ? bot.stoploss : (own.stoploss ?? inherited) };
      setAsked({
        bot: after,
        change: { mode: entries.mode },
        savesKey,
        changesAccount: accountFields.some((name) => after[name] !== bot[name]),
        changesSettings: form.changed.some((name) => !untradedFields.has(name)),
      });
    } else {
      void saving.save();
    }
  };
  /** One that is over closes no other, which was asked for meanwhile. */
  const close = () => setAsked((now) => (now === asked ? null : now));
  const confirm = async () => {
    if (asked === null) return;
    if ('mode' in asked.change) await saving.save().finally(close);
    else setRefused(await state.apply(asked).finally(close));
  };
  const cancel = () => {
    saving.cancel();
    if (asked !== null) state.cancel(asked);
    close();
  };

  return (
    <div className={bot === null ? 'bots' : 'bot-configure'}>
      <div className="bots">
        {stored === null || stored === undefined ? null : <ModeBand mode={stored.mode} exchangeId={stored.exchange_id} />}
        <CardPanel title={bot === null ? 'Create New Bot' : 'Edit Bot'} aside={bot === null ? null : <FormTools bot={bot} user={user} />}>
          {bot === null || bot.code_version === null ? null : <CodeVersion bot={bot} />}
          <form ref={host} className="bot-form" noValidate autoComplete="off" onSubmit={submit} onKeyDown={sendByButtonOnly}>
            <GeneralSettings form={form} invalid={issue?.field ?? null} emails={emails} showsOwner={isAdmin(user)} />
            <OwnSettings form={form} invalid={issue?.field ?? null} />
            <TradingSettings form={form} invalid={issue?.field ?? null} />
            <LeverageSettings form={form} invalid={issue?.field ?? null} />
            {entries.mode === 'live' ? <KeySettings form={form} invalid={issue?.field ?? null} /> : null}
            {bot === null ? null : <OwnersKeys bot={bot} />}
            {issue === null ? null : <Banner tone="error" text={issue.text} />}
            {issue !== null || saving.failure === null ? null : <Banner tone="error" text={saving.failure} />}
            {refused === null ? null : <Banner tone="error" text={refused} />}
            {saving.isOutdated && stored !== null ? <Outdated stored={stored} onLoad={() => void saving.loadNewest()} /> : null}
            <HindsightLine form={form} />
            <FormFoot
              form={form}
              bot={bot}
              isBusy={saving.isBusy}
              onDiscard={() => {
                setIssue(null);
                setRefused(null);
              }}
              // What is started is what the form shows, which is loaded less often than the list.
              onActivate={() =>
                bot === null ? undefined : setAsked({ bot: { ...bot, ...stored, status: bot.status }, change: { status: 'active' } })
              }
              onStop={() => (bot === null ? undefined : setAsked({ bot, change: { status: 'stopped' } }))}
            />
          </form>
        </CardPanel>
        {bot === null ? null : tradingOf(bot)}
        {bot === null || stored === null ? null : <BotHistory bot={bot} isTyped={form.changed.length > 0} reload={state.reload} />}
      </div>
      {bot === null ? null : <PerformanceMetrics bot={bot} />}
      <BotDialog
        change={asked}
        openTrades={openTrades}
        exchangeName={(id) => form.exchanges.find((exchange) => exchange.id === id)?.name ?? id}
        isBusy={state.isBusy || saving.isBusy}
        onConfirm={() => void confirm()}
        onCancel={cancel}
      />
    </div>
  );
}

/** Which version of its strategy the bot runs, and the way to a newer one. */
function CodeVersion({ bot }: { bot: Bot }) {
  return (
    <p className="bot-note">
      {`${bot.strategy_name}: ${versionText(bot)}.`}
      {bot.newest_code_version === bot.code_version ? null : (
        <button
          type="button"
          className="bot-link"
          onClick={() => changeAddress({ tab: 'strategy', view: 'files', strategy: bot.strategy_id, bot: null, pair: null })}
        >
          See what differs
        </button>
      )}
    </p>
  );
}
