import { IconAlertTriangle, IconArrowUp, IconCheck, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { changeAddress, useAddressValue } from '../../address/address.ts';
import { canControlBot, canCreateBots, isAdmin } from '../../session/permissions.ts';
import { useUser } from '../../session/use-session.ts';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { ModeTag } from '../../ui/mode-tag.tsx';
import { formatMoment } from '../../ui/moment.ts';
import type { UseForBot } from '../rules/rules-screen.tsx';
import type { FileStrategy, FilesState, RunningBot, StrategyFile } from './use-strategy-files.ts';
import { VersionText } from './version-text.tsx';

/** What of the files a row needs. */
type Taking = Pick<FilesState, 'busyBot' | 'take' | 'cancelTake'>;

/** A file: its state, why it was refused, and each of its strategies with the bots that run it. */
export function FileRow({ file, state, onUseForBot }: { file: StrategyFile; state: Taking; onUseForBot: UseForBot }) {
  const { path, faults, strategies, compute_ms: computeMs, memory_mb: memoryMb } = file;
  const isNewer = strategies.some((strategy) => olderOf(strategy).length > 0);
  return (
    <li className="file" aria-label={path ?? strategies.map(({ name }) => name).join(', ')}>
      <div className="file-head">
        {path === null ? null : <b className="file-path">{path}</b>}
        <StateTag state={file.state} isNewer={isNewer} />
        <span className="file-cost fl-number">
          {computeMs === null ? '' : `${computeMs.toFixed(1)} ms for 1,000 candles`}
          {memoryMb === null ? '' : `, ${memoryMb.toFixed(0)} MB`}
        </span>
        <span className="file-seen fl-number">checked {formatMoment(file.checked_at)} UTC</span>
      </div>
      {file.state === 'refused' ? <Refused faults={faults} strategies={strategies} /> : null}
      {file.state === 'gone' ? (
        <p className="file-fault file-gone">The file is not in the folder any more. Bots continue with the version they run.</p>
      ) : null}
      {strategies.map((strategy) => (
        <Strategy key={strategy.id} strategy={strategy} state={state} onUseForBot={onUseForBot} />
      ))}
    </li>
  );
}

/** Bots that run an earlier version than the newest. */
function olderOf({ bots, version }: FileStrategy): RunningBot[] {
  return bots.filter((bot) => bot.version !== version);
}

function StateTag({ state, isNewer }: { state: StrategyFile['state']; isNewer: boolean }) {
  const tags: Record<string, [text: string, icon: ReactNode]> = {
    ready: ['ready', <IconCheck key="i" size={12} aria-hidden />],
    newer: ['newer version there', <IconArrowUp key="i" size={12} aria-hidden />],
    refused: ['refused', <IconX key="i" size={12} aria-hidden />],
    gone: ['gone', <IconAlertTriangle key="i" size={12} aria-hidden />],
  };
  const shown = state === 'ready' && isNewer ? 'newer' : state;
  const [text, icon] = tags[shown] ?? ['', null];
  return (
    <span className={`fl-tag file-state file-${shown}`}>
      {icon}
      {text}
    </span>
  );
}

function Refused({ faults, strategies }: Pick<StrategyFile, 'faults' | 'strategies'>) {
  const kept = strategies.map(({ version }) => version).join(', ');
  return (
    <div role="note">
      {faults.map((fault) => (
        <p key={fault} className="file-fault">
          {fault}
        </p>
      ))}
      {kept === '' ? null : <p className="file-kept">Version {kept} passed its checks earlier and stays in use.</p>}
    </div>
  );
}

function Strategy({ strategy, state, onUseForBot }: { strategy: FileStrategy; state: Taking; onUseForBot: UseForBot }) {
  const user = useUser();
  const isOpened = useAddressValue('strategy') === strategy.id;
  const [asked, setAsked] = useState<{ bot: RunningBot; strategy: FileStrategy } | null>(null); // as both were shown: a file saved meanwhile is another question
  const { id, name, version, bots, notes, made_at: madeAt } = strategy;
  const oldest = Math.min(version - 1, ...bots.map((bot) => bot.version ?? version - 1));
  const take = (bot: RunningBot) => (bot.mode === 'live' ? setAsked({ bot, strategy }) : void state.take(bot, strategy));
  return (
    <section className="file-strategy" aria-label={name}>
      <div className="file-head">
        <span>{name}</span>
        <span className="file-version fl-number">
          version {version}, {formatMoment(madeAt)} UTC
        </span>
        <span className="file-tools">
          <Button size="small" variant="ghost" aria-pressed={isOpened} onClick={() => changeAddress({ strategy: isOpened ? null : id })}>
            {isOpened ? 'Close' : isAdmin(user) ? 'Code and what differs' : 'What it says of itself'}
          </Button>
          <Button size="small" variant="ghost" onClick={() => changeAddress({ view: null, strategy: id })}>
            Open in Configuration
          </Button>
          {canCreateBots(user) ? (
            <Button size="small" variant="secondary" aria-label={`Use ${name} for a bot`} onClick={() => onUseForBot(id, null)}>
              Use for a bot
            </Button>
          ) : null}
        </span>
      </div>
      {notes.map((note) => (
        <p key={note} className="file-note">
          {note}
        </p>
      ))}
      {bots.length === 0 ? (
        <p className="file-nobody">No bot runs it.</p>
      ) : (
        <ul className="file-bots" aria-label={`Bots that run ${name}`}>
          {bots.map((bot) => (
            <li key={bot.id}>
              <b>{bot.nickname}</b>
              <ModeTag mode={bot.mode} exchangeId={bot.exchange_id} />
              <span className="fl-number">version {bot.version ?? '—'}</span>
              {bot.version === version || !canControlBot(user, bot) ? null : (
                <Button
                  size="small"
                  variant="secondary"
                  className={bot.mode === 'live' ? 'file-take-live' : ''}
                  aria-label={`Take version ${version} for ${bot.nickname}`}
                  loading={state.busyBot === bot.id}
                  disabled={state.busyBot !== null}
                  onClick={() => take(bot)}
                >
                  Take version {version}
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {isOpened ? <VersionText key={`${oldest} ${version}`} strategy={strategy} earlier={oldest} /> : null}
      <ConfirmDialog
        opened={asked !== null}
        title="Take Version"
        message={`Have ${asked?.bot.nickname ?? ''} run version ${asked?.strategy.version ?? ''} of ${name}? It is live and runs version ${asked?.bot.version ?? ''}.`}
        confirmLabel={`Take Version ${asked?.strategy.version ?? ''}`}
        destructive
        loading={asked !== null && state.busyBot === asked.bot.id}
        note="Its open trades stay open; the new version decides from the next candle on."
        onConfirm={() => {
          if (asked !== null) void state.take(asked.bot, asked.strategy).finally(() => setAsked(null));
        }}
        onCancel={() => {
          if (state.busyBot === asked?.bot.id) state.cancelTake();
          setAsked(null);
        }}
      />
    </section>
  );
}
