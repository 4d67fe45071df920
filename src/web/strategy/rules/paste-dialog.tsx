import type { RulesDocument } from '#engine/rules/document.ts';
import { Textarea } from '@mantine/core';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { documentInText } from './edit/document-text.ts';

/** Takes rules as text; what is not the text of rules says so, and stays where it is. */
export function PasteDialog({
  opened,
  onPaste,
  onClose,
}: {
  opened: boolean;
  onPaste: (document: RulesDocument) => void;
  onClose: () => void;
}) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const paste = () => {
    const found = documentInText(text);
    if (!found.ok) {
      setFault(found.fault);
      return;
    }
    setText('');
    setFault(null);
    onPaste(found.document);
  };
  return (
    <Dialog opened={opened} onClose={onClose} title="Paste as Text" size={560} classNames={{ content: 'fl-dialog' }}>
      <Textarea
        label="Rules as text, as 'Copy as text' gives them"
        size="xs"
        minRows={8}
        maxRows={16}
        autosize
        data-autofocus
        spellCheck={false}
        value={text}
        error={fault}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFault(null);
        }}
      />
      <div className="fl-dialog-actions">
        <p className="fl-dialog-note">They open as a draft that nobody else sees. Nothing is saved yet.</p>
        <Button variant="secondary" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={paste}>Open as a Draft</Button>
      </div>
    </Dialog>
  );
}
