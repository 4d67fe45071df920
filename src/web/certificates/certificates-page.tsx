import './certificates.css';
import { ActionIcon } from '@mantine/core';
import { IconCertificate, IconChevronLeft, IconChevronRight, IconRefresh } from '@tabler/icons-react';
import { basePath } from '../api/send.ts';
import { changeAddress, useAddressValue } from '../address/address.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { DayField } from '../ui/day-field.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { ModeWords } from '../ui/mode-words.tsx';
import { formatPnl, toneOf } from '../ui/money.ts';
import { PdfLink } from '../ui/pdf-link.tsx';
import { SelectBox } from '../ui/select-box.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { useNow } from '../ui/use-now.ts';
import type { Outcome } from './certificate-text.ts';
import { differenceOf, sentencesOf, titleOf } from './certificate-text.ts';
import { ChecksPanel } from './checks-panel.tsx';
import { BotsPanel } from './bots-panel.tsx';
import { DaysPanel } from './days-panel.tsx';
import { ShareLine } from './share-line.tsx';
import { TradesPanel } from './trades-panel.tsx';
import { isUnderWay, useCertificate, useCertificates, useCertifiedBots, useNewestCertificates } from './use-certificate.ts';
import { useFirst } from './use-first.ts';
import { WaterfallChart } from './waterfall-chart.tsx';

const dayMs = 86_400_000;

/** How much of what the backtest makes of a bot's day reached its account. */
export function CertificatesPage() {
  const { bots, ...list } = useCertifiedBots();
  const wanted = useAddressValue('bot');
  const { newest, ...overview } = useNewestCertificates();
  const isListed = bots !== undefined && (newest !== undefined || overview.failure !== null);
  const first = useFirst(isListed ? (firstOf(bots, newest ?? [])?.id ?? null) : null, 'bot');
  const bot = bots?.find(({ id }) => id === wanted) ?? bots?.find(({ id }) => id === first) ?? null;
  const botId = bot?.id ?? null;
  const all = useCertificates(botId);
  const yesterday = utcDay(useNow(60_000) - dayMs);
  const chosen = dayIn(useAddressValue('day'));
  // Without a choice the newest day there was a certificate of; while that is not known, none is asked for.
  const newestDay = all.certificates === undefined && all.failure === null ? null : (all.certificates?.[0]?.day ?? yesterday);
  const firstDay = useFirst(newestDay, botId);
  const day = chosen ?? firstDay;
  const state = useCertificate(botId, day);
  const { answer } = state;
  const choose = (next: string): void => changeAddress({ day: next, bot: botId });

  if (bots === undefined && list.failure !== null)
    return <FailedLoad text="Failed to load bots" detail={list.failure} isLoading={list.isLoading} onRetry={() => void list.refetch()} />;
  if (bots?.length === 0)
    return (
      <div className="fl-panel">
        <EmptyState
          icon={<IconCertificate size={22} />}
          text="You have no bot yet"
          hint="Each night a bot that ran gets a certificate of its day."
          minHeight={320}
        />
      </div>
    );
  return (
    <div className="certificates">
      <h1 className="fl-visually-hidden">Certificates</h1>
      <div className="certificates-tools">
        <SelectBox
          label="Bot"
          searchable
          options={(bots ?? []).map(({ id, nickname }) => ({ value: id, label: nickname }))}
          value={botId}
          onChange={(id) => changeAddress({ bot: id, pair: null, day: null })}
        />
        <DayField label="Date" value={day ?? ''} onChange={(next) => (next === '' ? undefined : choose(next))} />
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Previous day"
          disabled={day === null}
          onClick={() => choose(dayAfter(day ?? yesterday, -1))}
        >
          <IconChevronLeft size={15} aria-hidden />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Next day"
          disabled={day === null || day >= yesterday}
          onClick={() => choose(dayAfter(day ?? yesterday, 1))}
        >
          <IconChevronRight size={15} aria-hidden />
        </ActionIcon>
        <span className="certificates-dim">UTC day</span>
      </div>
      {(bots ?? []).length < 2 ? null : (
        <BotsPanel
          newest={newest}
          failure={newest === undefined ? overview.failure : null}
          isLoading={overview.isLoading}
          botId={botId}
          onRetry={() => void overview.refetch()}
          onChoose={({ bot_id: id, day: ofBot }) => changeAddress({ bot: id, pair: null, day: ofBot })}
        />
      )}
      {state.failure === null || answer !== undefined ? null : (
        <FailedLoad text="Failed to load the certificate" detail={state.failure} isLoading={state.isLoading} onRetry={state.refetch} />
      )}
      {answer === undefined ? (
        state.failure === null ? (
          <div className="fl-panel">
            <LoadingRows label="Loading the certificate" rows={8} height={38} />
          </div>
        ) : null
      ) : (
        <Answer answer={answer} bot={bot} state={state} />
      )}
      {all.failure !== null && all.certificates === undefined ? (
        <FailedLoad
          text="Failed to load the days before"
          detail={all.failure}
          isLoading={all.isLoading}
          onRetry={() => void all.refetch()}
        />
      ) : (
        <div className="certificates-history">
          <ShareLine certificates={all.certificates ?? []} />
          <DaysPanel certificates={all.certificates ?? []} day={day} onChoose={choose} />
        </div>
      )}
    </div>
  );
}

/** See `Answer`. */
interface AnswerProps {
  answer: NonNullable<ReturnType<typeof useCertificate>['answer']>;
  bot: NonNullable<ReturnType<typeof useCertifiedBots>['bots']>[number] | null;
  state: ReturnType<typeof useCertificate>;
}

/** The certificate of a day, or why there is none. */
function Answer({ answer, bot, state }: AnswerProps) {
  const { day, certificate, why, promised, made, currency } = answer;
  const isBusy = isUnderWay(answer) || state.isAsking;
  const outcome: Outcome | null = promised === null || made === null || currency === null ? null : { promised, made, currency };
  const replay = (label: string) => (
    <Button
      variant="secondary"
      icon={<IconRefresh size={14} aria-hidden />}
      loading={isBusy}
      disabled={!answer.can_replay && !isBusy}
      onClick={state.replay}
    >
      {label}
    </Button>
  );
  const failed = answer.state === 'failed' ? <Banner tone="error" text={`${day} was not replayed`} detail={why} /> : null;
  if (certificate === null || outcome === null)
    return (
      <>
        {failed}
        <div className="fl-panel" aria-busy={isBusy}>
          <EmptyState
            icon={<IconCertificate size={22} />}
            text={isBusy ? 'The day is being replayed' : (noneText(answer.state, why) ?? 'This day has no certificate yet')}
            {...(isBusy
              ? { hint: 'Its certificate is here in some seconds; of a strategy in Python it takes up to some minutes.' }
              : answer.can_replay && answer.state === 'none'
                ? { hint: 'It comes in the night after, from five minutes past midnight (UTC) on, or at a press.' }
                : {})}
            {...(answer.can_replay || isBusy ? { action: replay(answer.state === 'failed' ? 'Try Again' : 'Replay This Day') } : {})}
            minHeight={320}
          />
        </div>
      </>
    );
  const difference = differenceOf(outcome);
  const isDiffering = certificate.decisions.differing.length > 0;
  const isOpen = certificate.parts.unexplained !== undefined;
  const mode = answer.mode ?? 'paper';
  const venue = mode === 'testnet' ? bot?.exchange_id : undefined; // what was real money stays that, wherever the bot is today
  return (
    <>
      {failed}
      <section className="fl-panel certificates-head" aria-label="Certificate">
        <p className={`fl-mode fl-mode-${mode}`}>
          <ModeWords mode={mode} exchangeId={venue} size={13} />
          <span>
            {bot?.nickname}, {day}, UTC day
          </span>
        </p>
        <div className="certificates-answer">
          <span className="certificates-seal" data-tone={isDiffering ? 'bad' : isOpen ? 'some' : 'good'} aria-hidden>
            <IconCertificate size={26} />
          </span>
          <div className="certificates-words">
            <h2>{titleOf(outcome)}</h2>
            <p>{sentencesOf(outcome, certificate).join(' ')}</p>
          </div>
          <FigureBar
            label="Figures of the certificate"
            figures={[
              { name: 'Backtest', value: formatPnl(Number(promised), outcome.currency), tone: toneOf(Number(promised), outcome.currency) },
              {
                name: 'Account',
                value: formatPnl(Number(made), outcome.currency),
                tone: toneOf(Number(made), outcome.currency),
                isLead: true,
              },
              {
                name: 'Difference',
                value: formatPnl(Number(difference), outcome.currency),
                tone: toneOf(Number(difference), outcome.currency),
              },
              { name: 'Unexplained', value: formatPnl(Number(certificate.parts.unexplained ?? 0), outcome.currency) },
            ]}
          />
          <div className="certificates-actions">
            {replay('Replay Again')}
            <PdfLink
              label="Download PDF"
              href={`${basePath}/bots/${bot?.id ?? ''}/certificates/${day}/pdf`}
              fileName={`certificate_${day}.pdf`}
              isDownloading={state.isDownloading}
              onDownload={state.download}
            />
          </div>
        </div>
      </section>
      {isDiffering ? (
        <Banner
          tone="error"
          text={`${certificate.decisions.differing.length === 1 ? 'A decision differs' : `${certificate.decisions.differing.length} decisions differ`} on the same candles`}
          detail={`The first is of ${certificate.decisions.differing[0]?.symbol} at ${certificate.decisions.differing[0]?.candle_time.slice(11, 16)}. The strategy says something else now about what it saw then: it may use chance, or keep something between its calls.`}
        />
      ) : null}
      <div className="certificates-columns">
        <WaterfallChart {...outcome} parts={certificate.parts} />
        <ChecksPanel certificate={certificate} currency={outcome.currency} replayedAt={answer.replayed_at} />
      </div>
      <TradesPanel day={day} outcome={outcome} certificate={certificate} />
    </>
  );
}

/** The bot that is shown before one is chosen: a live one that has a certificate, else any that has one, else a live one. */
function firstOf<Bot extends { id: string; mode: string }>(bots: readonly Bot[], newest: readonly { bot_id: string }[]): Bot | null {
  const certified = new Set(newest.map(({ bot_id: id }) => id));
  const withOne = bots.filter(({ id }) => certified.has(id));
  const isLive = ({ mode }: Bot): boolean => mode === 'live';
  return withOne.find(isLive) ?? withOne[0] ?? bots.find(isLive) ?? bots[0] ?? null;
}

/** Why a day has no certificate; of one that failed the banner says it. */
function noneText(state: string, why: string | null): string | null {
  return state === 'none' ? why : null;
}

function utcDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

function dayAfter(day: string, days: number): string {
  return utcDay(Date.parse(`${day}T00:00:00Z`) + days * dayMs);
}

/** A day out of the address; what is none counts as not given. */
function dayIn(text: string | null): string | null {
  return text !== null && /^\d{4}-\d{2}-\d{2}$/u.test(text) && !Number.isNaN(Date.parse(text)) ? text : null;
}
