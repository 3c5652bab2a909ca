import { useRef, useState } from "react";

/** Text and attachments. It is never disabled: a message may be sent while a response streams. */
export function Composer({
  onSend,
}: {
  onSend: (text: string, files: FileList | undefined) => void;
}) {
  const [text, setText] = useState("");
  const [files, setFiles] = useState<FileList>();
  const fileInput = useRef<HTMLInputElement>(null);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSend(text, files);
        setText("");
        setFiles(undefined);
        if (fileInput.current) fileInput.current.value = "";
      }}
    >
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <input
        aria-label="Attachments"
        type="file"
        multiple
        ref={fileInput}
        onChange={(event) => setFiles(event.target.files ?? undefined)}
      />
      <button type="submit">Send</button>
    </form>
  );
}
