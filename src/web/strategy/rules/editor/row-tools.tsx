import { IconArrowDown, IconArrowUp, IconCopy, IconFolderMinus, IconFolderPlus, IconPlus, IconTrash, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ruleAt } from '../edit/pieces-at.ts';
import type { Edited } from '../edit/rule-edits.ts';
import { inGroup, moved, withCopy, withoutGroup, withoutRule, withRule } from '../edit/rule-edits.ts';
import { useRulesEditor } from './rules-editor.ts';

/** What can be done with a whole line. */
export function RowTools({ path, isGroup }: { path: string; isGroup: boolean }) {
  const { document, edit, select, open } = useRulesEditor();
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
  return (
    <div className="rules-tools">
      {isGroup ? (
        <Tool
          text="Condition"
          icon={<IconPlus size={13} aria-hidden />}
          onClick={() => done(withRule(document, path, 'condition'), 'added')}
        />
      ) : null}
      <Tool text="Up" icon={<IconArrowUp size={13} aria-hidden />} onClick={() => done(moved(document, path, -1), 'moved')} />
      <Tool text="Down" icon={<IconArrowDown size={13} aria-hidden />} onClick={() => done(moved(document, path, 1), 'moved')} />
      <Tool text="Copy" icon={<IconCopy size={13} aria-hidden />} onClick={() => done(withCopy(document, path), 'copied')} />
      <Tool text="Into a group" icon={<IconFolderPlus size={13} aria-hidden />} onClick={() => done(inGroup(document, path), 'grouped')} />
      {isGroup ? (
        <Tool
          text="No group"
          icon={<IconFolderMinus size={13} aria-hidden />}
          onClick={() => done(withoutGroup(document, path), 'grouped')}
        />
      ) : null}
      <Tool text="Remove" icon={<IconTrash size={13} aria-hidden />} onClick={remove} />
      <button type="button" className="rules-tool rules-tool-end" onClick={() => open(null)}>
        <IconX size={13} aria-hidden />
        Close
      </button>
    </div>
  );
}

function Tool({ text, icon, onClick }: { text: string; icon: ReactNode; onClick: () => void }) {
  return (
    <button type="button" className="rules-tool" onClick={onClick}>
      {icon}
      {text}
    </button>
  );
}
