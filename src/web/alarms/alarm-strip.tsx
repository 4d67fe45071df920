import './alarms.css';
import { IconBellRinging } from '@tabler/icons-react';
import { useState } from 'react';
import { changeAddress } from '../address/address.ts';
import { Button } from '../ui/button.tsx';
import { formatMoment } from '../ui/moment.ts';
import type { Alarm } from './use-alarms.ts';
import { useAlarmItems, useAlarms } from './use-alarms.ts';

/** How many alarms are shown before the rest is asked for. */
const shownAtOnce = 3;

/** What may cost money while nobody acts; the rest is amber. */
const grave: readonly string[] = [
  'unknown-order',
  'unprotected-position',
  'difference',
  'unrecorded-order',
  'late-fill',
  'fill-of-unknown-order',
  'amount-differs',
  'margin-differs',
  'position-margin',
  'decision-differs',
  'no-runner',
];

/** What is decided about on the page of the bot. */
const decidedOnPage: readonly string[] = ['difference', 'unprotected-position', 'unrecorded-order'];

/** Every alarm of the viewer that nobody has acknowledged, at the top of each page: since when, and what to do. */
export function AlarmStrip() {
  const { alarms, busyId, acknowledge } = useAlarms();
  const [isOpen, setOpen] = useState(false);
  const waiting = alarmGroups(alarms.filter(({ acknowledged_at: at }) => at === null)).toSorted(
    ([one], [other]) => Number(isGrave(other)) - Number(isGrave(one)),
  );
  if (waiting.length === 0) return null;
  const more = waiting.length - shownAtOnce;
  return (
    <section aria-label="Alarms">
      <ul className="alarms">
        {waiting.slice(0, isOpen ? undefined : shownAtOnce).map((group) => (
          <AlarmLine key={group[0].id} group={group} isBusy={busyId === group[0].id} acknowledge={acknowledge} />
        ))}
      </ul>
      {waiting.length > 1 ? (
        <div className="alarms-more">
          {more > 0 ? (
            <Button variant="ghost" size="small" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
              {isOpen ? 'Show fewer alarms' : `Show ${more} more ${more === 1 ? 'alarm' : 'alarms'}`}
            </Button>
          ) : null}
          <Button variant="ghost" size="small" loading={busyId !== null} onClick={() => void acknowledge(waiting.flat())}>
            Acknowledge all
          </Button>
        </div>
      ) : null}
    </section>
  );
}

interface LineProps {
  group: [Alarm, ...Alarm[]];
  isBusy: boolean;
  acknowledge: (some: readonly Alarm[]) => Promise<void>;
}

function AlarmLine({ group, isBusy, acknowledge }: LineProps) {
  const [alarm] = group;
  const [isListed, setListed] = useState(false);
  const times = group.reduce((sum, { count }) => sum + count, 0);
  return (
    <li className={isGrave(alarm) ? 'fl-notice alarms-line alarms-grave' : 'fl-notice alarms-line'}>
      <IconBellRinging size={16} aria-hidden />
      <div>
        <p>
          <b>{alarm.title}</b> {alarm.what}
          {times === 1 ? '' : ` And ${times - 1} more like it.`}
        </p>
        <p className="alarms-advice">
          {alarm.advice} Since {formatMoment(alarm.raised_at)} UTC{alarm.owner === null ? '' : `, ${alarm.owner}`}
        </p>
        {isListed ? group.map((each) => <AlarmItems key={each.id} alarm={each} />) : null}
      </div>
      <div className="alarms-actions">
        {times === 1 ? null : (
          <Button
            variant="secondary"
            size="small"
            aria-expanded={isListed}
            aria-label={`${isListed ? 'Hide the list' : `List all ${times}`}: ${alarm.title}`}
            onClick={() => setListed(!isListed)}
          >
            {isListed ? 'Hide the list' : `List all ${times}`}
          </Button>
        )}
        {alarm.target_id !== null && alarm.level === 'bot' && decidedOnPage.includes(alarm.kind) ? (
          <Button
            variant="secondary"
            size="small"
            aria-label={`${showWord(alarm)}: ${alarm.title}`}
            onClick={() => openBot(alarm.target_id)}
          >
            {showWord(alarm)}
          </Button>
        ) : null}
        <Button
          variant="secondary"
          size="small"
          loading={isBusy}
          aria-label={`Acknowledge: ${alarm.title}`}
          onClick={() => void acknowledge(group)}
        >
          Acknowledge
        </Button>
      </div>
    </li>
  );
}

/** What an alarm stands for, each with its time. */
function AlarmItems({ alarm }: { alarm: Alarm }) {
  const items = useAlarmItems(alarm, alarm.count > 1) ?? [{ what: alarm.what, raised_at: alarm.raised_at }];
  return (
    <ul className="alarms-items" aria-label={`Each of: ${alarm.title}`}>
      {items.map(({ what, raised_at: at }) => (
        <li key={`${at} ${what}`}>
          <span className="fl-number">{formatMoment(at)}</span> {what}
        </li>
      ))}
    </ul>
  );
}

/** Alarms of the same kind about the same bot are one line: the newest, and how many there are besides. */
function alarmGroups(alarms: readonly Alarm[]): [Alarm, ...Alarm[]][] {
  const groups = new Map<string, [Alarm, ...Alarm[]]>();
  for (const alarm of alarms) {
    const name = alarm.target_id === null ? alarm.id : `${alarm.kind} ${alarm.target_id}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [alarm]);
    else group.push(alarm);
  }
  return [...groups.values()];
}

function openBot(botId: string | null): void {
  changeAddress({ tab: null, view: null, bot: botId, pair: null, order: null, trade: null });
}

function showWord({ kind }: Alarm): string {
  return kind === 'difference' ? 'Decide' : 'Show';
}

function isGrave({ kind }: Alarm): boolean {
  return grave.includes(kind);
}
