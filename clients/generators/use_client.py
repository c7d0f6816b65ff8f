"""Creates a monitor and reads it with the generated client: `python use_client.py <base URL> <key>`."""

import sys

from floe_client import AuthenticatedClient
from floe_client.api.monitors import monitors_create, monitors_get
from floe_client.models import CreateMonitorRequest, Monitor

client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
created = monitors_create.sync(
    client=client, body=CreateMonitorRequest(id="hourly", expected_interval_minutes=60)
)
assert isinstance(created, Monitor), created
read = monitors_get.sync(client=client, id=created.id)
assert isinstance(read, Monitor), read
print(read.id, read.status)
