import { ActionIcon, Menu } from '@mantine/core';
import {
  IconArrowBackUp,
  IconArrowForwardUp,
  IconCopy,
  IconCopyPlus,
  IconDotsVertical,
  IconHistory,
  IconRobot,
  IconShare,
  IconShareOff,
  IconTrash,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { canCreateBots } from '../../../session/permissions.ts';
import { useUser } from '../../../session/use-session.ts';
import { Button } from '../../../ui/button.tsx';
import { ModeTag } from '../../../ui/mode-tag.tsx';
import { formatMoment } from '../../../ui/moment.ts';
import type { OpenRules } from './use-rules-draft.ts';

/** What can be done with rules as a whole. */
export interface RulesActions {
  copyText: () => void;
  share: (isShared: boolean) => void;
  copy: () => void;
  remove: () => void;
  useForBot: () => void;
  showVersions: () => void;
}

/** What comes after saving: a phone shows it too, where the others are in the menu. */
const toBot = 'Use for a bot';

/** The name of the rules, whose they are, what is not saved, who uses them, and what can be done with them. */
export function TitleBar({ rules, actions, isBusy, note }: { rules: OpenRules; actions: RulesActions; isBusy: boolean; note: string }) {
  const { strategy, document, isDraft, basedOn, readOnly, canUndo, canRedo } = rules;
  const user = useUser();
  const mayUse = canCreateBots(user);
  const isShared = strategy?.is_shared === true;
  const items: [text: string, icon: ReactNode, act: () => void, isThere: boolean][] = [
    ['Copy as text', <IconCopy key="i" size={14} aria-hidden />, actions.copyText, true],
    ['Make a copy', <IconCopyPlus key="i" size={14} aria-hidden />, actions.copy, mayUse],
    [
      isShared ? 'Stop sharing' : 'Share with everybody',
      isShared ? <IconShareOff key="i" size={14} aria-hidden /> : <IconShare key="i" size={14} aria-hidden />,
      () => actions.share(!isShared),
      !readOnly && strategy !== null,
    ],
    [toBot, <IconRobot key="i" size={14} aria-hidden />, actions.useForBot, mayUse && strategy !== null],
    ['Versions', <IconHistory key="i" size={14} aria-hidden />, actions.showVersions, strategy !== null],
    [strategy === null ? 'Discard' : 'Remove', <IconTrash key="i" size={14} aria-hidden />, actions.remove, !readOnly],
  ];
  const shown = items.filter(([, , , isThere]) => isThere);
  return (
    <div className="rules-title">
      <h1>{document.title.trim() === '' ? 'Without a name' : document.title}</h1>
      {isDraft && !readOnly ? (
        <span className="fl-tag rules-draft-tag">{basedOn === null ? 'not saved yet' : `draft of version ${basedOn + 1}`}</span>
      ) : null}
      {isShared ? <span className="fl-tag rules-shared-tag">shared</span> : null}
      {strategy === null ? null : <Facts rules={rules} onVersions={actions.showVersions} />}
      <span role="status" className="rules-note">
        {note}
      </span>
      <div className="rules-actions">
        {readOnly ? null : (
          <>
            <ActionIcon variant="default" aria-label="Undo" title="Ctrl Z" disabled={!canUndo} onClick={rules.undo}>
              <IconArrowBackUp size={14} aria-hidden />
            </ActionIcon>
            <ActionIcon variant="default" aria-label="Redo" title="Ctrl Shift Z" disabled={!canRedo} onClick={rules.redo}>
              <IconArrowForwardUp size={14} aria-hidden />
            </ActionIcon>
          </>
        )}
        {shown
          .filter(([text]) => text !== 'Versions' && text !== 'Remove' && text !== 'Discard')
          .map(([text, icon, act]) => (
            <span key={text} {...(text === toBot ? {} : { className: 'rules-only-wide' })}>
              <Button size="small" variant="secondary" icon={icon} disabled={isBusy} onClick={act}>
                {text}
              </Button>
            </span>
          ))}
        <Menu position="bottom-end" transitionProps={{ duration: 0 }} disabled={isBusy}>
          <Menu.Target>
            <ActionIcon variant="default" aria-label="More for these rules" disabled={isBusy}>
              <IconDotsVertical size={14} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {shown.map(([text, icon, act]) => (
              <Menu.Item key={text} leftSection={icon} onClick={act}>
                {text}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
    </div>
  );
}

/** How many bots are named; the others are counted. */
const namedBots = 2;

function Facts({ rules: { strategy, readOnly }, onVersions }: { rules: OpenRules; onVersions: () => void }) {
  if (strategy === null) return null;
  const { version, made_at: madeAt, bots, owner } = strategy;
  return (
    <span className="rules-facts">
      version {version} of <span className="fl-number">{formatMoment(madeAt).slice(0, 10)}</span>
      {readOnly ? `, by ${owner?.email ?? 'somebody whose account is gone'}` : ''}
      {bots.length === 0 ? ', used by no bot' : ', used by '}
      {bots.slice(0, namedBots).map(({ id, nickname, mode, exchange_id: exchangeId }, i) => (
        <span key={id}>
          {i === 0 ? '' : ', '}
          <b>{nickname}</b> <ModeTag mode={mode} exchangeId={exchangeId} />
        </span>
      ))}
      {bots.length > namedBots ? ` and ${bots.length - namedBots} more` : ''}{' '}
      <button type="button" className="rules-link" onClick={onVersions}>
        history
      </button>
    </span>
  );
}
