import type { SignalList } from '#engine/rules/walk.ts';
import { Switch as MantineSwitch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { CardPanel } from '../../../ui/card-panel.tsx';
import { withPiece } from '../edit/pieces-at.ts';
import type { Edited } from '../edit/rule-edits.ts';
import { switchedOver, withoutRule, withRule, withSignal } from '../edit/rule-edits.ts';
import { groupTexts } from '../edit/sentence.ts';
import { ConditionRow, shareText } from './condition-row.tsx';
import { GroupFields } from './piece-fields.tsx';
import { faultsAt, useRulesEditor } from './rules-editor.ts';

/** What must hold for any entry. */
export function GuardList() {
  const editor = useRulesEditor();
  const { rows, readOnly } = editor;
  const guard = rows.filter(({ list }) => list === 'guard');
  return (
    <CardPanel title="Guard" aside={guard.length === 0 ? 'nothing guards the entries' : 'must hold for any entry'} flush>
      {guard.length === 0 ? null : (
        <ul className="rules-lines" aria-label="Guard">
          {guard.map((row) => (
            <ConditionRow key={row.path} row={row} />
          ))}
        </ul>
      )}
      {readOnly ? null : <AddButtons holder="guard" name="the guard" />}
    </CardPanel>
  );
}

/** See `SignalsList`. */
export interface SignalsListProps {
  list: SignalList;
  title: string;
  held: number | null; // share of candles in which the list wants its signal
  aside?: ReactNode;
}

/** The signals of a list, each with its conditions; any of them is enough, and the first that holds gives the tag. */
export function SignalsList({ list, title, held, aside }: SignalsListProps) {
  const editor = useRulesEditor();
  const { document, readOnly, edit, select } = editor;
  const signals = document[list];
  const ownFaults = editor.faults.filter(({ path }) => path === list).map(({ sentence }) => sentence);
  return (
    <CardPanel
      title={title}
      aside={
        <>
          {signals.length > 1 ? <span>any of, first one wins</span> : null}
          {held === null || signals.length === 0 ? null : (
            <span>
              held on <b className="fl-number rules-strong">{shareText(held)}</b> of candles
            </span>
          )}
          {aside}
        </>
      }
      flush
    >
      {signals.length === 0 ? <p className="rules-none">No conditions{nothingDone[list]}.</p> : null}
      {signals.map((_, i) => (
        <Signal key={i} list={list} place={i} title={title} />
      ))}
      {ownFaults.map((fault) => (
        <p key={fault} className="rules-fault rules-inset" role="alert">
          {fault}
        </p>
      ))}
      {readOnly ? null : (
        <div className="rules-adds">
          <Button
            variant="ghost"
            size="small"
            icon={<IconPlus size={13} aria-hidden />}
            aria-label={`${signals.length === 0 ? 'Condition' : 'Another way'} to ${title.toLowerCase()}`}
            onClick={() => {
              const next = withSignal(document, list);
              edit(next.document, `${list} added`);
              select(next.path);
            }}
          >
            {signals.length === 0 ? 'Condition' : list.startsWith('enter') ? 'Another way in' : 'Another way out'}
          </Button>
        </div>
      )}
    </CardPanel>
  );
}

const nothingDone: Record<SignalList, string> = {
  enterLong: ': nothing is bought',
  exitLong: ': longs are left by stop, trailing stop and ROI alone',
  enterShort: ': this strategy never goes short',
  exitShort: ': shorts are left by stop, trailing stop and ROI alone',
};

function Signal({ list, place, title }: { list: SignalList; place: number; title: string }) {
  const { document, rows, readOnly, edit } = useRulesEditor();
  const signal = document[list][place];
  const path = `${list}.${place}`;
  if (signal === undefined) return null;
  const lines = rows.filter((row) => row.list === list && row.signal === place);
  const isGroup = 'rules' in signal.when;
  const tag = <Tag path={path} tag={signal.tag} />;
  return (
    <div className="rules-signal">
      {isGroup ? (
        <div className="rules-heading">
          {readOnly ? <span>{groupWords(signal.when)}</span> : <GroupHeading path={`${path}.when`} title={title} />}
          {tag}
          {signal.isOff === undefined && document[list].length < 2 ? null : (
            <MantineSwitch
              size="xs"
              checked={signal.isOff !== true}
              disabled={readOnly}
              withThumbIndicator={false}
              aria-label={`Signal ${signal.tag} is on`}
              onChange={() => edit(switchedOver(document, path), `${path} switch`)}
            />
          )}
          <span className="rules-explained">share held; candles where only this was missing</span>
        </div>
      ) : null}
      <ul className="rules-lines" aria-label={`${title}: ${signal.tag}`}>
        {lines.map((row) => (
          <ConditionRow key={row.path} row={row} {...(isGroup ? {} : { tag })} />
        ))}
      </ul>
      {readOnly || !isGroup ? null : <AddButtons holder={`${path}.when`} name={`${title.toLowerCase()}: ${signal.tag}`} />}
      {readOnly || isGroup ? null : <MoreConditions path={`${path}.when`} name={`${title.toLowerCase()}: ${signal.tag}`} />}
    </div>
  );
}

function groupWords(rule: { kind: string }): string {
  return rule.kind in groupTexts ? `${groupTexts[rule.kind as keyof typeof groupTexts]} these` : '';
}

/** How many of the conditions of a signal must hold. */
function GroupHeading({ path, title }: { path: string; title: string }) {
  const editor = useRulesEditor();
  const { document, opened, open } = editor;
  const [list, place] = path.split('.');
  const rule = document[list as SignalList][Number(place)]?.when;
  if (rule === undefined || !('rules' in rule)) return null;
  const isOpen = opened === `${path}.kind`;
  return (
    <>
      <button
        type="button"
        className={`rules-token rules-token-group${isOpen ? ' rules-token-open' : ''}`}
        aria-expanded={isOpen}
        aria-label={`How many conditions to ${title.toLowerCase()}`}
        onClick={() => open(isOpen ? null : `${path}.kind`)}
      >
        {rule.kind === 'atLeast'
          ? `at least ${typeof rule.count === 'number' ? rule.count : rule.count.parameter} of`
          : groupTexts[rule.kind]}
      </button>
      <span>{rule.kind === 'none' ? 'these may hold' : 'these must hold'}</span>
      {isOpen ? (
        <div className="rules-fields rules-heading-fields">
          <GroupFields rule={rule} path={path} />
        </div>
      ) : null}
      {faultsAt(editor, path).map((fault) => (
        <span key={fault} className="rules-fault" role="alert">
          {fault}
        </span>
      ))}
    </>
  );
}

/** The tag of a signal: the entry tag of its trades, or their exit reason. */
function Tag({ path, tag }: { path: string; tag: string }) {
  const { document, faults, readOnly, edit } = useRulesEditor();
  const [isOpen, setOpen] = useState(false);
  const found = faults.filter((fault) => fault.path === path).map(({ sentence }) => sentence);
  if (readOnly) return <span className="rules-tag">tag {tag}</span>;
  return (
    <>
      {isOpen ? (
        <TextInput
          size="xs"
          className="rules-tag-field"
          aria-label={`Tag ${tag}`}
          value={tag}
          maxLength={255}
          autoFocus
          onChange={(event) => edit(withPiece(document, `${path}.tag`, event.currentTarget.value), `${path}.tag`)}
          onBlur={() => setOpen(false)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || event.key === 'Escape') setOpen(false);
          }}
        />
      ) : (
        <button type="button" className="rules-tag" title="Change the tag" onClick={() => setOpen(true)}>
          tag {tag === '' ? '(none)' : tag}
        </button>
      )}
      {found.map((fault) => (
        <span key={fault} className="rules-fault" role="alert">
          {fault}
        </span>
      ))}
    </>
  );
}

function AddButtons({ holder, name }: { holder: string; name: string }) {
  const { document, edit, select } = useRulesEditor();
  const add = ({ document: next, path }: Edited) => {
    edit(next, `${holder} added`);
    select(path);
  };
  return (
    <div className="rules-adds">
      <Button
        variant="ghost"
        size="small"
        icon={<IconPlus size={13} aria-hidden />}
        aria-label={`Condition to ${name}`}
        onClick={() => add(withRule(document, holder, 'condition'))}
      >
        Condition
      </Button>
      <Button
        variant="ghost"
        size="small"
        icon={<IconPlus size={13} aria-hidden />}
        aria-label={`Group to ${name}`}
        onClick={() => add(withRule(document, holder, 'group'))}
      >
        Group
      </Button>
    </div>
  );
}

/** Makes a signal of one condition one of several, or takes it away. */
function MoreConditions({ path, name }: { path: string; name: string }) {
  const { document, edit, select } = useRulesEditor();
  return (
    <div className="rules-adds">
      <Button
        variant="ghost"
        size="small"
        icon={<IconPlus size={13} aria-hidden />}
        aria-label={`And also, to ${name}`}
        onClick={() => {
          const next = withRule(document, path, 'condition');
          edit(next.document, `${path} added`);
          select(next.path);
        }}
      >
        And also
      </Button>
      <Button
        variant="ghost"
        size="small"
        aria-label={`Remove ${name}`}
        onClick={() => edit(withoutRule(document, path), `${path} removed`)}
      >
        Remove
      </Button>
    </div>
  );
}
