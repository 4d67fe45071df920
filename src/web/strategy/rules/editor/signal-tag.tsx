import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { withPiece } from '../edit/pieces-at.ts';
import { useRulesEditor } from './rules-editor.ts';

/** The tag of a signal: the entry tag of its trades, or their exit reason. */
export function SignalTag({ path, tag }: { path: string; tag: string }) {
  const { faults, readOnly, edit } = useRulesEditor();
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
          data-autofocus
          ref={(field) => field?.focus()}
          onChange={({ currentTarget: { value } }) => edit((document) => withPiece(document, `${path}.tag`, value), `${path}.tag`)}
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
