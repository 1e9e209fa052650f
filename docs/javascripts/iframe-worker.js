// The search runs in a worker. Browsers refuse workers in a page that was opened as a file: there, the script of the
// worker runs in a hidden frame. The plugin `offline` of Material loads such a file from another server, unless
// `mkdocs.yml` names one whose address contains `iframe-worker`.

class FrameWorker extends EventTarget {
  constructor(address) {
    super();
    const frame = document.createElement("iframe");
    frame.hidden = true;
    document.body.append(frame);
    this.inside = frame.contentWindow;
    // Without this, some browsers replace the document of the frame later.
    this.inside.document.open();
    this.inside.document.write("<!doctype html><body></body>");
    this.inside.document.close();
    this.inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    this.loaded = new Promise((loaded) => {
      const script = this.inside.document.createElement("script");
      script.onload = loaded;
      script.src = address;
      this.inside.document.body.append(script);
    });
  }

  async postMessage(data) {
    await this.loaded;
    this.inside.dispatchEvent(new this.inside.MessageEvent("message", { data }));
  }
}

if (location.protocol === "file:") {
  window.Worker = FrameWorker;
}
