import { Switch as MantineSwitch } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconFolderMinus, IconFolderPlus, IconPlus, IconTrash, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { formatRatio } from '../../../ui/ratio.ts';
import { ruleAt } from '../edit/pieces-at.ts';
import type { Edited } from '../edit/rule-edits.ts';
import { inGroup, moved, switchedOver, withCopy, withoutGroup, withoutRule, withRule } from '../edit/rule-edits.ts';
import type { RuleRow } from '../edit/rule-rows.ts';
import { ruleText } from '../edit/sentence.ts';
import { PieceFields } from './piece-fields.tsx';
import { changesAt, faultsAt, useRulesEditor } from './rules-editor.ts';
import { SentenceView } from './sentence-view.tsx';

/** A line of a list: number, switch, sentence, and how often it held; below it what is wrong, what it was, and the fields of the piece that is open. */
export function ConditionRow({ row, tag }: { row: RuleRow; tag?: ReactNode }) {
  const editor = useRulesEditor();
  const { document, readOnly, selected, opened, select, open, edit } = editor;
  const { path, rule, label, name, depth } = row;
  const isSelected = selected === path;
  const isOff = rule.isOff === true;
  const faults = faultsAt(editor, path);
  const changes = changesAt(editor, path);
  const looks = [
    'rules-row',
    depth > 0 ? `rules-row-in${Math.min(depth, 3)}` : '',
    isSelected ? 'rules-row-selected' : '',
    isOff ? 'rules-row-off' : '',
    changes.length > 0 ? 'rules-row-changed' : '',
  ];
  const words = ruleText(document, rule);
  return (
    <li className="rules-line" data-rule={path}>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/click-events-have-key-events -- the arrow keys move along lines, see use-rules-keys */}
      <div
        className={looks.filter((look) => look !== '').join(' ')}
        role="group"
        aria-label={`${name}: ${words}`}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- one stop for all lines; its buttons are reached from it
        tabIndex={isSelected || (selected === null && editor.rows[0]?.path === path) ? 0 : -1}
        onClick={() => select(path)}
        onFocus={() => select(path)}
      >
        <span className="rules-no">{label}</span>
        <MantineSwitch
          size="xs"
          className="rules-switch"
          checked={!isOff}
          disabled={readOnly}
          withThumbIndicator={false}
          aria-label={`${name} is on`}
          onChange={() => edit(switchedOver(document, path), `${path} switch`)}
        />
        <div className="rules-say">
          <SentenceView rule={rule} path={path} opened={opened} onOpen={open} />
          {tag}
          {changes.map((change) => (
            <span key={`${change.path} ${change.name}`} className="rules-was">
              {change.from === 'none' ? 'new' : `was ${change.from}`}
            </span>
          ))}
          {faults.map((fault) => (
            <span key={fault} className="rules-fault" role="alert">
              {fault}
            </span>
          ))}
        </div>
        <HeldStats path={path} isOff={isOff} />
      </div>
      {opened !== null && opened.startsWith(`${path}.`) && isSelected && !readOnly ? (
        <div className="rules-edit" role="group" aria-label={`Fields of ${name}`}>
          <PieceFields rule={rule} path={path} opened={opened} />
          <RowTools row={row} />
        </div>
      ) : null}
    </li>
  );
}

function HeldStats({ path, isOff }: { path: string; isOff: boolean }) {
  const { held } = useRulesEditor();
  const found = held.get(path);
  if (isOff) return <span className="rules-held">off</span>;
  if (found === undefined) return <span className="rules-held" />;
  return (
    <span className="rules-held fl-number">
      <b>{shareText(found.share)}</b> {found.alone === null ? null : `${found.alone} alone`}
    </span>
  );
}

/** A share of candles with two digits that say something: '59%', '6.1%', '0.7%', '0.02%'. */
export function shareText(share: number): string {
  if (share === 0) return '0%';
  if (share >= 0.1) return formatRatio(share, 0);
  return share >= 0.001 ? formatRatio(share, 1) : formatRatio(share, 2);
}

/** What can be done with a whole line. */
function RowTools({ row }: { row: RuleRow }) {
  const { document, edit, select, open } = useRulesEditor();
  const { path, rule } = row;
  const isGroup = 'rules' in rule;
  const done = ({ document: next, path: at }: Edited, place: string) => {
    edit(next, `${path} ${place}`);
    open(null);
    select(at);
  };
  const remove = () => {
    const next = withoutRule(document, path);
    edit(next, `${path} removed`);
    open(null);
    select(ruleAt(next, path) === null ? null : path);
  };
  const tools: [text: string, icon: ReactNode, act: () => void][] = [
    ...(isGroup
      ? [
          ['Condition', <IconPlus key="i" size={13} aria-hidden />, () => done(withRule(document, path, 'condition'), 'added')] as [
            string,
            ReactNode,
            () => void,
          ],
        ]
      : []),
    ['Up', <IconArrowUp key="i" size={13} aria-hidden />, () => done(moved(document, path, -1), 'moved')],
    ['Down', <IconArrowDown key="i" size={13} aria-hidden />, () => done(moved(document, path, 1), 'moved')],
    ['Copy', <IconCopy key="i" size={13} aria-hidden />, () => done(withCopy(document, path), 'copied')],
    ['Into a group', <IconFolderPlus key="i" size={13} aria-hidden />, () => done(inGroup(document, path), 'grouped')],
    ...(isGroup
      ? [
          ['No group', <IconFolderMinus key="i" size={13} aria-hidden />, () => done(withoutGroup(document, path), 'grouped')] as [
            string,
            ReactNode,
            () => void,
          ],
        ]
      : []),
    ['Remove', <IconTrash key="i" size={13} aria-hidden />, remove],
  ];
  return (
    <div className="rules-tools">
      {tools.map(([text, icon, act]) => (
        <button key={text} type="button" className="rules-tool" onClick={act}>
          {icon}
          {text}
        </button>
      ))}
      <button type="button" className="rules-tool rules-tool-end" onClick={() => open(null)}>
        <IconX size={13} aria-hidden />
        Close
      </button>
    </div>
  );
}
