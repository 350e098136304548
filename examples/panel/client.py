"""Reads and changes a panel through HTTP, and prints the answers.

python3 client.py SOCKET
"""

import sys

import httpx
from schemas.plugins import Plugin

COMPRESSOR = {"uri": "http://calf.sourceforge.net/plugins/Compressor"}
BYTES = {"accept": "application/octet-stream"}


def main(socket: str) -> None:
    with httpx.Client(transport=httpx.HTTPTransport(uds=socket), base_url="http://panels", timeout=10) as client:
        plugins = client.get("/plugins").json()
        print(len(plugins), "plugins with", sum(plugin["parameters"] for plugin in plugins), "parameters")

        text = client.get("/panel", params=COMPRESSOR)
        data = client.get("/panel", params=COMPRESSOR, headers=BYTES)
        panel = Plugin.decode(data.content)
        assert panel == Plugin.from_json(text.text)
        print(panel.name, "has", len(text.content), "bytes as JSON and", len(data.content), "as SDP")

        print(client.put("/panel/level_in", params=COMPRESSOR, json={"value": 2.5}).json()["current_value"])
        print(client.put("/panel/level_in", params=COMPRESSOR, json={"value": 1000}).json()["detail"])
        print(client.put("/panel/volume", params=COMPRESSOR, json={"value": 1}).json()["detail"])

        for parameter in panel.parameters:
            parameter.current_value = parameter.default_value
        print(client.put("/panel", params=COMPRESSOR, content=panel.encode()).status_code)
        print(Plugin.decode(client.get("/panel", params=COMPRESSOR, headers=BYTES).content) == panel)
        print(client.put("/panel", params=COMPRESSOR, content=panel.encode()[:100]).json()["detail"])


if __name__ == "__main__":
    main(sys.argv[1])
